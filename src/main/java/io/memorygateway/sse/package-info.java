/**
 * Server-sent events as bytes: {@link io.memorygateway.sse.SseSplitter} splits a stream into events
 * without changing a byte of it, and {@link io.memorygateway.sse.SseEvent} is a view of an event.
 * The content of events is interpreted by {@code format}.
 */
package io.memorygateway.sse;
