package io.memorygateway.usage;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.json.Timestamps;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Insert of many rows of {@code request_log} in one statement. Written by hand, with values in the
 * text: there is a row for every call, and binding its columns would cost more than all other work
 * for it.
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

  /** Characters of a row, about. */
  private static final int ROW_LENGTH = 400;

  /** Characters of a time in milliseconds, as in 2026-01-31T23:59:59.999. */
  private static final int TIME_LENGTH = 23;

  private static final HexFormat HEX = HexFormat.of();

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
    StringBuilder sql = new StringBuilder(INTO.length() + calls.size() * ROW_LENGTH).append(INTO);
    String separator = "";
    for (LoggedCall call : calls) {
      sql.append(separator);
      separator = ",";
      append(sql, call);
    }
    try (Statement statement = connection.createStatement()) {
      statement.setEscapeProcessing(false);
      statement.executeUpdate(sql.toString());
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

  private static void append(StringBuilder sql, LoggedCall call) {
    sql.append("('").append(Timestamps.format(call.startedAt()), 0, TIME_LENGTH).append("',");
    sql.append(call.id()).append(',');
    sql.append(call.projectId()).append(',');
    sql.append(call.keyId()).append(',');
    append(sql, call.requestId());
    append(sql, call.threadHash() == null ? null : HEX.parseHex(call.threadHash()), "x'");
    append(sql, call.endpoint());
    append(sql, call.provider());
    append(sql, call.model());
    sql.append(call.status()).append(',');
    sql.append(call.stream()).append(',');
    sql.append(call.inputTokens()).append(',');
    sql.append(call.outputTokens()).append(',');
    sql.append(call.cachedTokens()).append(',');
    sql.append(call.durationMillis()).append(',');
    sql.append(call.upstreamMillis()).append(',');
    sql.append(call.firstByteMillis()).append(',');
    append(sql, call.errorType());
    sql.append(call.attempt().number()).append(',');
    append(sql, call.attempt().outcome());
    sql.append(call.attempt().status()).append(',');
    sql.append(call.attempt().durationMillis()).append(",1)");
  }

  /** Appends a string in hexadecimal digits, so that nothing in it can have a meaning in SQL. */
  private static void append(StringBuilder sql, @Nullable String value) {
    append(sql, value == null ? null : value.getBytes(UTF_8), "_utf8mb4 x'");
  }

  private static void append(StringBuilder sql, byte @Nullable [] value, String prefix) {
    if (value == null) {
      sql.append("NULL,");
    } else {
      sql.append(prefix).append(HEX.formatHex(value)).append("',");
    }
  }
}
