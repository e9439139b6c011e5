package io.memorygateway.proxy.own;

import org.jspecify.annotations.Nullable;

/**
 * Outcome of an operator's test call to a provider.
 *
 * @param ok whether it was answered without an error
 * @param status null if there was no answer
 * @param ms milliseconds until the last byte, or the failure
 * @param firstByteMs milliseconds until the head of the answer
 * @param answer start of the answer's text, or of the body of an error
 * @param error why there is no answer, or none that can be read
 */
public record TestCall(
    String provider,
    String model,
    String endpoint,
    boolean ok,
    @Nullable Integer status,
    long ms,
    @Nullable Long firstByteMs,
    @Nullable String answer,
    @Nullable String error) {}
