package io.memorygateway.memory.rows;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The call whose turn a thread ends with, whole or broken off.
 *
 * @param hash hex SHA-256 of all that identifies the call
 * @param again whether its caller said that it was a retry
 * @param answer seq of the first message of its answer; the end, if the answer is not stored
 * @param end the thread's next seq, behind the answer
 * @param broken whether the turn broke off, where it is written; false where it is read
 * @param told what {@code call_told} gets, where it is written; null for nothing, and where it is
 *     read
 */
public record LastCall(
    String hash, boolean again, long answer, long end, boolean broken, @Nullable String told) {
  /** In {@code call_state}: the answer is not to be given again to the same call. */
  public static final int NOT_AGAIN = 2;

  /**
   * Columns of a row {@code h} of {@code thread_heads}; the first is null if something else was
   * stored since, if only by a node that does not know of them.
   */
  public static final String COLUMNS =
      "IF(h.call_end = h.next_seq, h.call_hash, NULL), h.call_again, h.call_answer, h.call_end\n";

  /** Whether no answer of it is in the thread, as of a call for a summary, or an empty one. */
  public boolean isUnanswered() {
    return answer == end;
  }

  /** What is read of it once it is written. */
  public LastCall asRead() {
    return new LastCall(hash, again, answer, end, false, null);
  }

  /** Reads the columns, from a number on; null if the thread does not end with a turn. */
  public static @Nullable LastCall of(ResultSet row, int first) throws SQLException {
    byte[] hash = row.getBytes(first);
    return hash == null
        ? null
        : new LastCall(
            HexFormat.of().formatHex(hash),
            row.getBoolean(first + 1),
            row.getLong(first + 2),
            row.getLong(first + 3),
            false,
            null);
  }
}
