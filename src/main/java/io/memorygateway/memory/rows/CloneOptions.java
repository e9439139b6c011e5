package io.memorygateway.memory.rows;

import org.jspecify.annotations.Nullable;

/**
 * Options of a clone. A null value is copied from the source; a null id is generated.
 *
 * @param messageLimit how many of the newest messages to copy, or null for all
 */
public record CloneOptions(
    @Nullable String newThreadId,
    @Nullable String resourceId,
    @Nullable String title,
    @Nullable String metadata,
    @Nullable Integer messageLimit) {}
