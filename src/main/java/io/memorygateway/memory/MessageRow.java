package io.memorygateway.memory;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;

/**
 * A stored message.
 *
 * @param seq its place in the order of its thread
 * @param content JSON, as it was spelt
 */
public record MessageRow(
    long seq, String publicId, String role, String type, String content, Instant createdAt) {

  public static final class Mapper implements RowMapper<MessageRow> {
    @Override
    public MessageRow map(ResultSet row, StatementContext context) throws SQLException {
      return new MessageRow(
          row.getLong("seq"),
          Identifier.ofBytes(row.getBytes("message_id")),
          row.getString("role"),
          row.getString("type"),
          row.getString("content"),
          row.getTimestamp("message_created_at").toInstant());
    }
  }
}
