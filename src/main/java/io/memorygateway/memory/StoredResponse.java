package io.memorygateway.memory;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/**
 * What a write with an Idempotency-Key was answered.
 *
 * @param requestHash SHA-256 of the request, lower-case hex
 * @param status 404 if the thread has been deleted since
 * @param threadId {@code threads.id} of the thread that it speaks of
 * @param body JSON, without messages
 * @param messages of the answer
 */
public record StoredResponse(
    String requestHash,
    int status,
    @Nullable Long threadId,
    @Nullable String body,
    @Nullable MessageSnapshot messages,
    Instant createdAt) {

  public static final class Mapper implements RowMapper<StoredResponse> {
    @Override
    public StoredResponse map(ResultSet row, StatementContext context) throws SQLException {
      long threadId = row.getLong("thread_id");
      boolean hasThread = !row.wasNull();
      String body = row.getString("body");
      long version = row.getLong("thread_version");
      boolean hasVersion = !row.wasNull();
      String seqs = row.getString("message_seqs");
      return new StoredResponse(
          row.getString("request_hash"),
          row.getInt("status"),
          hasThread ? threadId : null,
          body,
          seqs == null
              ? null
              : new MessageSnapshot(SeqRanges.parse(seqs), hasVersion ? version : null),
          row.getTimestamp("created_at").toInstant());
    }
  }
}
