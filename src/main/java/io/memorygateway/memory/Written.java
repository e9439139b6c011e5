package io.memorygateway.memory;

/**
 * The result of a write.
 *
 * @param answer for the caller of this write
 * @param response stored if the request has an Idempotency-Key
 */
public record Written<T>(T answer, StoredResponse.Content response) {}
