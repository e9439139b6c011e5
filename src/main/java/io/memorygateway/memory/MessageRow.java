package io.memorygateway.memory;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;

/**
 * A stored message.
 *
 * @param seq its place in the order of its thread
 * @param content JSON, as it was spelt
 * @param incomplete whether it is of a turn that broke off
 * @param superseded whether it is an answer that was asked for again
 */
public record MessageRow(
    long seq,
    String publicId,
    String role,
    String type,
    String content,
    Instant createdAt,
    boolean incomplete,
    boolean superseded) {

  public static final class Mapper implements RowMapper<MessageRow> {
    /** Finds the columns once for all rows. */
    @Override
    public RowMapper<MessageRow> specialize(ResultSet rows, StatementContext context)
        throws SQLException {
      Columns columns = Columns.of(rows);
      return (row, sameContext) -> columns.read(row);
    }

    @Override
    public MessageRow map(ResultSet row, StatementContext context) throws SQLException {
      return Columns.of(row).read(row);
    }
  }

  private record Columns(
      int seq,
      int id,
      int role,
      int type,
      int content,
      int createdAt,
      int incomplete,
      int superseded) {

    static Columns of(ResultSet rows) throws SQLException {
      return new Columns(
          rows.findColumn("seq"),
          rows.findColumn("message_id"),
          rows.findColumn("role"),
          rows.findColumn("type"),
          rows.findColumn("content"),
          rows.findColumn("message_created_at"),
          rows.findColumn("incomplete"),
          rows.findColumn("superseded"));
    }

    MessageRow read(ResultSet row) throws SQLException {
      return new MessageRow(
          row.getLong(seq),
          Identifier.ofBytes(row.getBytes(id)),
          row.getString(role),
          row.getString(type),
          row.getString(content),
          // Stored in UTC; a Timestamp would take a calendar for each row.
          row.getObject(createdAt, LocalDateTime.class).toInstant(ZoneOffset.UTC),
          row.getBoolean(incomplete),
          row.getBoolean(superseded));
    }
  }
}
