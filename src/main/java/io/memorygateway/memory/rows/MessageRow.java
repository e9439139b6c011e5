package io.memorygateway.memory.rows;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/**
 * A stored message.
 *
 * @param seq its place in the order of its thread
 * @param content JSON, verbatim
 * @param incomplete whether it belongs to a turn that was interrupted
 * @param superseded whether the conversation has left it: another answer, or branch, stands in its
 *     place
 * @param tokens of its content, if they were counted before it was stored; null also for a message
 *     that was read
 */
public record MessageRow(
    long seq,
    String publicId,
    String role,
    String type,
    String content,
    Instant createdAt,
    boolean incomplete,
    boolean superseded,
    @Nullable Integer tokens) {

  /** Columns of {@code messages m} that {@link #of} reads, in its order. */
  public static final String COLUMNS =
      "m.seq, m.public_id, m.role, m.type, m.content, m.created_at, m.incomplete, m.superseded";

  /** A message whose tokens are not known. */
  public MessageRow(
      long seq,
      String publicId,
      String role,
      String type,
      String content,
      Instant createdAt,
      boolean incomplete,
      boolean superseded) {
    this(seq, publicId, role, type, content, createdAt, incomplete, superseded, null);
  }

  /** Reads a message from the first columns of a row. */
  public static MessageRow of(ResultSet row) throws SQLException {
    return new MessageRow(
        row.getLong(1),
        Identifier.ofBytes(row.getBytes(2)),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        // Stored in UTC; a Timestamp would take a calendar for each row.
        row.getObject(6, LocalDateTime.class).toInstant(ZoneOffset.UTC),
        row.getBoolean(7),
        row.getBoolean(8));
  }

  /** Returns the message with another type and content. */
  public MessageRow with(String newType, String newContent) {
    return new MessageRow(
        seq, publicId, role, newType, newContent, createdAt, incomplete, superseded);
  }

  public static final class Mapper implements RowMapper<MessageRow> {
    @Override
    public MessageRow map(ResultSet row, StatementContext context) throws SQLException {
      return of(row);
    }
  }
}
