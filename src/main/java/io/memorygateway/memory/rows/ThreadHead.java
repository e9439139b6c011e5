package io.memorygateway.memory.rows;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/**
 * State of a thread that storing and finding its messages needs. A position counts messages from
 * the oldest one; a seq is the number that a message is stored under. As long as nothing was
 * deleted, position p has seq {@code baseSeq + p}.
 *
 * @param id {@code threads.id}
 * @param nextSeq seq of the next message
 * @param messageCount exact
 * @param storedBytes UTF-8 bytes of content that were ever stored
 * @param removedBytes of these, those deleted or replaced since
 * @param observeAt stored bytes from which on the observer is to look at the thread
 * @param version incremented by every change of messages or observations
 * @param lastCall null unless the thread ends with a turn
 */
public record ThreadHead(
    long id,
    String publicId,
    String resourceId,
    long baseSeq,
    long nextSeq,
    long messageCount,
    long storedBytes,
    long removedBytes,
    long observeAt,
    long version,
    Instant updatedAt,
    @Nullable LastCall lastCall) {

  public static final long FIRST_VERSION = 0;

  /** The head after messages were stored at the end. */
  public ThreadHead advanced(int messages, long bytes, Instant now) {
    return new ThreadHead(
        id,
        publicId,
        resourceId,
        baseSeq,
        nextSeq + messages,
        messageCount + messages,
        storedBytes + bytes,
        removedBytes,
        observeAt,
        version + 1,
        later(now),
        null);
  }

  public ThreadHead with(LastCall call) {
    return new ThreadHead(
        id,
        publicId,
        resourceId,
        baseSeq,
        nextSeq,
        messageCount,
        storedBytes,
        removedBytes,
        observeAt,
        version,
        updatedAt,
        call);
  }

  /** The head after content of a message was replaced by new content. */
  public ThreadHead rewritten(long oldBytes, long newBytes, Instant now) {
    return new ThreadHead(
        id,
        publicId,
        resourceId,
        baseSeq,
        nextSeq,
        messageCount,
        storedBytes + newBytes,
        removedBytes + oldBytes,
        observeAt,
        version + 1,
        later(now),
        lastCall);
  }

  /** Returns the head after messages were deleted; in an empty thread, positions start over. */
  public ThreadHead reduced(int messages, long bytes, Instant now) {
    long left = messageCount - messages;
    return new ThreadHead(
        id,
        publicId,
        resourceId,
        left == 0 ? nextSeq : baseSeq,
        nextSeq,
        left,
        storedBytes,
        left == 0 ? storedBytes : removedBytes + bytes,
        observeAt,
        version + 1,
        later(now),
        lastCall);
  }

  /** Returns {@code now}, but never less than the last time: a node's clock may be behind. */
  private Instant later(Instant now) {
    return now.isBefore(updatedAt) ? updatedAt : now;
  }

  /** Whether the thread has reached the observer's threshold. */
  public boolean isToBeObserved() {
    return storedBytes >= observeAt;
  }

  /** Whether no message between the first and the last is missing. */
  public boolean isDense() {
    return messageCount == nextSeq - baseSeq;
  }

  /** Reads a head from the first columns of a row, in the order above. */
  public static ThreadHead of(ResultSet row) throws SQLException {
    return new ThreadHead(
        row.getLong(1),
        Identifier.ofBytes(row.getBytes(2)),
        Identifier.ofBytes(row.getBytes(3)),
        row.getLong(4),
        row.getLong(5),
        row.getLong(6),
        row.getLong(7),
        row.getLong(8),
        row.getLong(9),
        row.getLong(10),
        row.getTimestamp(11).toInstant(),
        LastCall.of(row, 12));
  }

  public static final class Mapper implements RowMapper<ThreadHead> {
    @Override
    public ThreadHead map(ResultSet row, StatementContext context) throws SQLException {
      return of(row);
    }
  }
}
