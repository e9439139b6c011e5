/**
 * The three endpoint formats: OpenAI Chat Completions, Anthropic Messages, OpenAI Responses. All
 * differences between them are behind {@link io.memorygateway.format.Format}. Pure: no input or
 * output, no server, no other package of the gateway but {@code json} and {@code sse}. Received
 * bodies and events are never serialised anew: they are scanned once and edited by splicing bytes
 * (contract §6).
 *
 * <p>A request is a {@link io.memorygateway.format.call.RequestBody}; with memory, its messages are
 * read into a {@link io.memorygateway.format.call.Conversation} of {@link
 * io.memorygateway.format.content.StoredMessage}s, compared with the thread in {@link
 * io.memorygateway.format.align.NormalForm}, and written again with a {@link
 * io.memorygateway.format.call.MemoryContext}. An answer passes an {@link
 * io.memorygateway.format.answer.AnswerStream} that watches it and an {@link
 * io.memorygateway.format.answer.AnswerAssembler} that collects its messages; an {@link
 * io.memorygateway.format.answer.AnswerReplay} rebuilds it from what was stored.
 */
package io.memorygateway.format;
