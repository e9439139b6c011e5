package io.memorygateway.memory;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A message to be stored.
 *
 * @param id what the caller calls it, or null for an id of ours
 * @param content JSON
 * @param createdAt when the caller says that it was made, or null for now
 * @param incomplete whether it is of a turn that broke off
 */
public record NewMessage(
    @Nullable String id,
    String role,
    String type,
    String content,
    @Nullable Instant createdAt,
    boolean incomplete) {
  /** Values that are parsed of a body outside of contents; the largest metadata have fewer. */
  public static final int MAX_VALUES = 200_000;

  NewMessage withId(String newId) {
    return new NewMessage(newId, role, type, content, createdAt, incomplete);
  }

  /** With this id and time, where it has none. */
  NewMessage named(String newId, Instant now) {
    return new NewMessage(
        id == null ? newId : id,
        role,
        type,
        content,
        createdAt == null ? now : createdAt,
        incomplete);
  }
}
