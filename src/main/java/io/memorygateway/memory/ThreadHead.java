package io.memorygateway.memory;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;

/**
 * What storing and finding messages needs to know of their thread. Positions count messages from
 * the oldest one; seqs are what they are stored under. As long as nothing was deleted, position p
 * has seq {@code baseSeq + p}.
 *
 * @param id {@code threads.id}
 * @param nextSeq what the next message will get
 * @param messageCount exact
 */
public record ThreadHead(
    long id,
    String publicId,
    String resourceId,
    long baseSeq,
    long nextSeq,
    long messageCount,
    Instant updatedAt) {

  /** Whether no message between the first and the last is missing. */
  boolean isDense() {
    return messageCount == nextSeq - baseSeq;
  }

  public static final class Mapper implements RowMapper<ThreadHead> {
    @Override
    public ThreadHead map(ResultSet row, StatementContext context) throws SQLException {
      return new ThreadHead(
          row.getLong("id"),
          Identifier.ofBytes(row.getBytes("public_id")),
          Identifier.ofBytes(row.getBytes("resource_id")),
          row.getLong("base_seq"),
          row.getLong("next_seq"),
          row.getLong("message_count"),
          row.getTimestamp("updated_at").toInstant());
    }
  }
}
