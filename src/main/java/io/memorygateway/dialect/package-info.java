/**
 * The three endpoint formats: OpenAI Chat Completions, Anthropic Messages, OpenAI Responses. All
 * that differs between them lives behind {@link io.memorygateway.dialect.Dialect}. Pure: no input
 * or output, no server, nothing of the gateway but {@code json} and {@code sse}. Bodies and events
 * of others are never re-typed: they are scanned once and edited by splicing bytes (contract §6).
 *
 * <p>A request is a {@link io.memorygateway.dialect.RequestBody}; with memory, its messages are
 * read into a {@link io.memorygateway.dialect.Conversation} of {@link
 * io.memorygateway.dialect.StoredMessage}s, compared with the thread in {@link
 * io.memorygateway.dialect.NormalForm}, and written again with a {@link
 * io.memorygateway.dialect.MemoryContext}. An answer passes an {@link
 * io.memorygateway.dialect.AnswerStream} that watches it and an {@link
 * io.memorygateway.dialect.AnswerAssembler} that gathers its messages; an {@link
 * io.memorygateway.dialect.AnswerReplay} writes it again from what was stored.
 */
package io.memorygateway.dialect;
