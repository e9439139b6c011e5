package io.memorygateway.http;

/**
 * What is noted of a call of a model. Times are nanoseconds, tokens as the upstream counted them;
 * {@link RequestNotes#NONE} where unknown.
 *
 * @param upstreamNanos from the request to the upstream to the last byte of its answer
 * @param firstByteNanos from the request to the upstream to the head of its answer
 */
public record LlmNotes(
    String provider,
    String model,
    boolean stream,
    long inputTokens,
    long outputTokens,
    long cachedInputTokens,
    long upstreamNanos,
    long firstByteNanos) {}
