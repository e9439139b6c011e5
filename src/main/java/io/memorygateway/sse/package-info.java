/**
 * Server-sent events as bytes: {@link io.memorygateway.sse.SseSplitter} cuts a stream into events
 * without changing one byte of it, and {@link io.memorygateway.sse.SseEvent} is a view of an event.
 * What events mean is up to {@code dialect}.
 */
package io.memorygateway.sse;
