package io.memorygateway.memory.rows;

import org.jspecify.annotations.Nullable;

/** A change of a message; null members stay unchanged. */
public record MessagePatch(@Nullable String content, @Nullable String type) {}
