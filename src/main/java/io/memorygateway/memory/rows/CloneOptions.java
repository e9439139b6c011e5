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
    @Nullable Integer messageLimit) {
  /** The source as its clone is to be described: with the resource, title and metadata of these. */
  public ThreadRow describe(ThreadRow source) {
    return new ThreadRow(
        source.id(),
        source.publicId(),
        resourceId == null ? source.resourceId() : resourceId,
        title == null ? source.title() : title,
        metadata == null ? source.metadata() : metadata,
        source.createdAt(),
        source.updatedAt());
  }
}
