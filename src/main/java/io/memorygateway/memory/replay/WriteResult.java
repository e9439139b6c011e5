package io.memorygateway.memory.replay;

/**
 * Result of a write.
 *
 * @param answer for the caller of this write
 * @param response stored if the request has an Idempotency-Key
 */
public record WriteResult<T>(T answer, StoredResponse.Content response) {}
