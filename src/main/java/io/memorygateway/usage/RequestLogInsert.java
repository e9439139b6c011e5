package io.memorygateway.usage;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Insert of many rows of {@code request_log} in one statement. Written by hand: there is a row for
 * every call, and binding its columns by name would cost more than all other work for it.
 */
final class RequestLogInsert {
  private static final String INTO =
      """
      INSERT IGNORE INTO request_log
        (started_at, id, project_id, key_id, request_id, thread_hash, endpoint, provider, model, status, stream,
         input_tokens, output_tokens, cached_tokens, duration_ms, upstream_ms, first_byte_ms, error_type, attempt,
         outcome)
      VALUES\s""";
  private static final String ROW = "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";

  private RequestLogInsert() {}

  /** Inserts rows; those that exist already stay, for a batch may be written twice. */
  static void insert(Connection connection, List<LoggedCall> calls) throws SQLException {
    String sql = INTO + ROW + ("," + ROW).repeat(calls.size() - 1);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int place = 1;
      for (LoggedCall call : calls) {
        place = bind(statement, place, call);
      }
      statement.executeUpdate();
    }
  }

  private static int bind(PreparedStatement statement, int first, LoggedCall call)
      throws SQLException {
    int place = first;
    statement.setTimestamp(place++, Timestamp.from(call.startedAt()));
    statement.setLong(place++, call.id());
    statement.setLong(place++, call.projectId());
    statement.setLong(place++, call.keyId());
    statement.setString(place++, call.requestId());
    statement.setBytes(place++, call.threadHashBytes());
    statement.setString(place++, call.endpoint());
    statement.setString(place++, call.provider());
    statement.setString(place++, call.model());
    statement.setInt(place++, call.status());
    statement.setBoolean(place++, call.stream());
    setLong(statement, place++, call.inputTokens());
    setLong(statement, place++, call.outputTokens());
    setLong(statement, place++, call.cachedTokens());
    statement.setLong(place++, call.durationMillis());
    setLong(statement, place++, call.upstreamMillis());
    setLong(statement, place++, call.firstByteMillis());
    statement.setString(place++, call.errorType());
    statement.setInt(place++, call.attempt());
    statement.setString(place++, call.outcome());
    return place;
  }

  private static void setLong(PreparedStatement statement, int place, @Nullable Long value)
      throws SQLException {
    if (value == null) {
      statement.setNull(place, Types.BIGINT);
    } else {
      statement.setLong(place, value);
    }
  }
}
