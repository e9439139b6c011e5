package io.memorygateway.audit;

import org.jspecify.annotations.Nullable;

/**
 * Operator on whose behalf something is done.
 *
 * @param name of the user or token
 * @param role in lower case
 * @param source an address, or a command and its host
 * @param requestId null for a command
 */
public record Actor(String name, String role, String source, @Nullable String requestId) {}
