/**
 * OpenTelemetry traces, off unless the usual variables of the environment turn them on ({@link
 * io.memorygateway.tracing.TracingSettings}): a span for each request on the application port, and
 * one for each call of a model, either an attempt of a proxied call or a call by the gateway itself
 * ({@link io.memorygateway.tracing.CallSpan}). Only {@code GenAiAttributes} has the names of
 * attributes, because those for generative AI are not stable.
 */
@org.jspecify.annotations.NullMarked
package io.memorygateway.tracing;
