package io.memorygateway.turn;

import io.memorygateway.format.align.NormalForm;
import io.memorygateway.format.content.StoredMessage;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message of a thread's tail, in the forms in which turns need it.
 *
 * @param ofUser whether a user wrote it
 * @param held the message to be sent; null if it is only compared
 * @param bytes that it takes to send it
 * @param weight bytes of heap, approximately
 */
record TailEntry(
    long seq,
    String role,
    String type,
    Instant createdAt,
    boolean incomplete,
    boolean ofUser,
    @Nullable ContextMessage held,
    NormalForm normal,
    long bytes,
    long weight) {

  /** Bytes of heap in addition to what is sent. */
  static final long WEIGHT = 500;

  /** Copies of each text: as it is stored, in UTF-8 and in its parts. */
  static final long COPIES = 3;

  /**
   * A message with its content.
   *
   * @param sent whether it may be sent; else it is observed or elided, and its text is not retained
   */
  record Text(TailRow row, String content, boolean sent) {
    private StoredMessage message() {
      return new StoredMessage(row.role(), content, row.type());
    }

    /** The same with ids for results that have none. */
    Text named(List<String> ids) {
      return new Text(row, message().named(ids).content(), sent);
    }
  }

  static TailEntry of(Text text, TimeMarks marks) {
    TailRow row = text.row();
    StoredMessage message = text.message();
    boolean ofUser = message.isOfUser();
    String mark = marks.next(row.createdAt(), ofUser);
    NormalForm normal = NormalForm.of(message, row.incomplete());
    long bytes = text.sent() ? SizeBound.OVERHEAD + row.bytes() : 0;
    return new TailEntry(
        row.seq(),
        row.role(),
        row.type(),
        row.createdAt(),
        row.incomplete(),
        ofUser,
        text.sent() ? new ContextMessage(message, mark, row.tokens()) : null,
        normal,
        bytes,
        weight(message, bytes, mark != null));
  }

  /** The heap that an entry takes; one with a mark holds its text with and without it. */
  private static long weight(StoredMessage message, long bytes, boolean marked) {
    long sent = bytes == 0 ? 0 : COPIES * bytes + message.weightOfParts();
    return WEIGHT + (marked ? 2 * sent : sent);
  }

  TailEntry onlyCompared() {
    return new TailEntry(seq, role, type, createdAt, incomplete, ofUser, null, normal, 0, WEIGHT);
  }

  boolean ofModel() {
    return role.equals("assistant");
  }

  /** Tokens by which its size is judged; 0 if it is only compared. */
  long tokens() {
    return held == null ? 0 : SizeBound.tokens(type, bytes - SizeBound.OVERHEAD, held.counted());
  }

  /** The message to be sent, of an entry that may be. */
  ContextMessage heldMessage() {
    return Objects.requireNonNull(held);
  }
}
