package io.memorygateway.usage;

import io.memorygateway.database.DatabaseFailure;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
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
      INSERT INTO request_log
        (started_at, id, project_id, key_id, request_id, thread_hash, endpoint, provider, model, status, stream,
         input_tokens, output_tokens, cached_tokens, duration_ms, upstream_ms, first_byte_ms, error_type, attempt,
         outcome, attempt_status, attempt_ms, rolled_up)
      VALUES
      """;
  private static final String ROW = "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,1)";

  private RequestLogInsert() {}

  /**
   * Inserts rows that are rolled up in the same transaction, unless all of them exist already,
   * since a batch may be written twice.
   *
   * @return whether they were inserted
   * @throws IllegalStateException if only some of them exist; none is inserted then
   * @throws SQLException for every other reason; none is inserted
   */
  static boolean insert(Connection connection, List<LoggedCall> calls) throws SQLException {
    String sql = INTO + ROW + ("," + ROW).repeat(calls.size() - 1);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int index = 1;
      for (LoggedCall call : calls) {
        index = bind(statement, index, call);
      }
      statement.executeUpdate();
      return true;
    } catch (SQLException e) {
      // INSERT IGNORE would also truncate values that do not fit, without an error.
      if (DatabaseFailure.of(e) != DatabaseFailure.DUPLICATE_KEY) {
        throw e;
      }
      if (countExisting(connection, calls) < calls.size()) {
        throw new IllegalStateException("some rows of the batch exist already", e);
      }
      return false;
    }
  }

  private static int countExisting(Connection connection, List<LoggedCall> calls)
      throws SQLException {
    // For (started_at, id) IN (...) MariaDB reads the whole table.
    String sql =
        "SELECT COUNT(*) FROM request_log WHERE (started_at = ? AND id = ?)"
            + " OR (started_at = ? AND id = ?)".repeat(calls.size() - 1);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int index = 1;
      for (LoggedCall call : calls) {
        statement.setTimestamp(index++, Timestamp.from(call.startedAt()));
        statement.setLong(index++, call.id());
      }
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? rows.getInt(1) : 0;
      }
    }
  }

  private static int bind(PreparedStatement statement, int first, LoggedCall call)
      throws SQLException {
    int index = first;
    statement.setTimestamp(index++, Timestamp.from(call.startedAt()));
    statement.setLong(index++, call.id());
    statement.setLong(index++, call.projectId());
    statement.setLong(index++, call.keyId());
    statement.setString(index++, call.requestId());
    statement.setBytes(index++, call.threadHashBytes());
    statement.setString(index++, call.endpoint());
    statement.setString(index++, call.provider());
    statement.setString(index++, call.model());
    statement.setInt(index++, call.status());
    statement.setBoolean(index++, call.stream());
    setLong(statement, index++, call.inputTokens());
    setLong(statement, index++, call.outputTokens());
    setLong(statement, index++, call.cachedTokens());
    statement.setLong(index++, call.durationMillis());
    setLong(statement, index++, call.upstreamMillis());
    setLong(statement, index++, call.firstByteMillis());
    statement.setString(index++, call.errorType());
    statement.setInt(index++, call.attempt().number());
    statement.setString(index++, call.attempt().outcome());
    statement.setInt(index++, call.attempt().status());
    statement.setLong(index++, call.attempt().durationMillis());
    return index;
  }

  private static void setLong(PreparedStatement statement, int index, @Nullable Long value)
      throws SQLException {
    if (value == null) {
      statement.setNull(index, Types.BIGINT);
    } else {
      statement.setLong(index, value);
    }
  }
}
