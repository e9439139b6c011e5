package io.memorygateway.turn;

import io.memorygateway.json.Characters;
import io.memorygateway.memory.rows.MessageRow;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of the outline of a thread's tail: a message.
 *
 * @param superseded whether the conversation has left it
 * @param tokens null if they have not been counted
 * @param bytes of the content
 * @param content null if it is too large to be held before heap is reserved
 */
record TailRow(
    long seq,
    String role,
    String type,
    Instant createdAt,
    boolean incomplete,
    boolean superseded,
    @Nullable Integer tokens,
    long bytes,
    @Nullable String content) {

  /** A message of the conversation as it was stored. */
  static TailRow of(MessageRow row) {
    return new TailRow(
        row.seq(),
        row.role(),
        row.type(),
        row.createdAt(),
        row.incomplete(),
        false,
        row.tokens(),
        Characters.utf8Length(row.content()),
        row.content());
  }

  TailRow withoutContent() {
    return new TailRow(seq, role, type, createdAt, incomplete, superseded, tokens, bytes, null);
  }
}
