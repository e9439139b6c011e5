package io.memorygateway.turn;

import io.memorygateway.memory.rows.LastCall;
import org.jspecify.annotations.Nullable;

/**
 * The state of a thread when a turn is opened.
 *
 * @param thread {@code threads.id}
 * @param known id of the oldest record of what is known of the resource, which changes when records
 *     are deleted; empty for none; null if the thread is told nothing of it
 * @param lastCall null unless the thread ends with a whole turn
 */
record TailHead(
    long thread,
    String resourceId,
    long version,
    @Nullable String known,
    @Nullable LastCall lastCall) {

  /**
   * What tells whether a thread has changed.
   *
   * @param known id of the oldest record of what is known of the resource; empty for none
   */
  record State(long version, String known) {}

  /** Whether what was read of the thread still holds. */
  boolean holdsAt(@Nullable State now) {
    return now != null && now.version() == version && (known == null || known.equals(now.known()));
  }
}
