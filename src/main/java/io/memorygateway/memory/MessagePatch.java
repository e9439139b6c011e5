package io.memorygateway.memory;

import org.jspecify.annotations.Nullable;

/** A change of a message; what is null stays as it is. */
public record MessagePatch(@Nullable String content, @Nullable String type) {}
