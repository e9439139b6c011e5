package io.memorygateway.memory.rows;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A message to be stored.
 *
 * @param id given by the caller; null to generate one
 * @param content JSON
 * @param createdAt time given by the caller; null for now
 * @param incomplete whether it belongs to a turn that was interrupted
 * @param tokens of its content; null: left to the observer to count
 */
public record NewMessage(
    @Nullable String id,
    String role,
    String type,
    String content,
    @Nullable Instant createdAt,
    boolean incomplete,
    @Nullable Integer tokens) {
  /**
   * Largest number of values parsed in a body outside of contents; the largest metadata have fewer.
   */
  public static final int MAX_VALUES = 200_000;

  /** A message whose tokens are left to the observer to count. */
  public NewMessage(
      @Nullable String id,
      String role,
      String type,
      String content,
      @Nullable Instant createdAt,
      boolean incomplete) {
    this(id, role, type, content, createdAt, incomplete, null);
  }

  /** Returns the message with this id and time where it has none. */
  public NewMessage named(String newId, Instant now) {
    return new NewMessage(
        id == null ? newId : id,
        role,
        type,
        content,
        createdAt == null ? now : createdAt,
        incomplete,
        tokens);
  }
}
