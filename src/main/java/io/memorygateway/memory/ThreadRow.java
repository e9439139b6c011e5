package io.memorygateway.memory;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/**
 * A thread as clients see it.
 *
 * @param id {@code threads.id}; the row below carries {@link #publicId}
 * @param metadata a JSON object
 */
public record ThreadRow(
    long id,
    String publicId,
    String resourceId,
    @Nullable String title,
    @Nullable String metadata,
    Instant createdAt,
    Instant updatedAt) {

  public static final class Mapper implements RowMapper<ThreadRow> {
    @Override
    public ThreadRow map(ResultSet row, StatementContext context) throws SQLException {
      return new ThreadRow(
          row.getLong("id"),
          Identifier.ofBytes(row.getBytes("public_id")),
          Identifier.ofBytes(row.getBytes("resource_id")),
          row.getString("title"),
          row.getString("metadata"),
          row.getTimestamp("created_at").toInstant(),
          row.getTimestamp("updated_at").toInstant());
    }
  }
}
