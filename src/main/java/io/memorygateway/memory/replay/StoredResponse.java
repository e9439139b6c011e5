package io.memorygateway.memory.replay;

import io.memorygateway.json.Characters;
import io.memorygateway.memory.rows.Appended;
import io.memorygateway.memory.rows.MessageSnapshot;
import io.memorygateway.memory.rows.SeqRanges;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/**
 * The response to a request with an Idempotency-Key, as it is stored for replays.
 *
 * @param requestHash SHA-256 of the request, lower-case hex
 */
public record StoredResponse(String requestHash, Content content, Instant createdAt) {

  /**
   * What is stored of a response.
   *
   * @param status 404 if the thread has been deleted since
   * @param threadId {@code threads.id} of the thread that the response is about, if it still exists
   * @param body JSON without messages; null if the response consists of messages
   * @param messages of the response; their contents are not stored twice
   */
  public record Content(
      int status,
      @Nullable Long threadId,
      @Nullable String body,
      @Nullable MessageSnapshot messages) {

    public static Content ofMessages(int status, Appended appended) {
      return new Content(status, appended.thread().id(), null, appended.snapshot());
    }

    public long bodyBytes() {
      return body == null ? 0 : Characters.utf8Length(body);
    }

    public @Nullable String messageSeqs() {
      return messages == null ? null : messages.seqs().toString();
    }

    public @Nullable Long threadVersion() {
      return messages == null ? null : messages.version();
    }
  }

  public static final class Mapper implements RowMapper<StoredResponse> {
    @Override
    public StoredResponse map(ResultSet row, StatementContext context) throws SQLException {
      String seqs = row.getString("message_seqs");
      Long version = row.getObject("thread_version", Long.class);
      return new StoredResponse(
          row.getString("request_hash"),
          new Content(
              row.getInt("status"),
              row.getObject("thread_id", Long.class),
              row.getString("body"),
              seqs == null ? null : new MessageSnapshot(SeqRanges.parse(seqs), version)),
          row.getTimestamp("created_at").toInstant());
    }
  }
}
