package io.memorygateway.usage;

import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.database.Home;
import io.memorygateway.database.SqlText;
import io.memorygateway.figures.CallFigures;
import io.memorygateway.figures.Counted;
import io.memorygateway.figures.Figure;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Insert of many rows of {@code request_log} in one statement. Written by hand, with values in the
 * text: there is a row for every call, and binding its columns would cost more than all other work
 * for it.
 */
final class RequestLogInsert {
  private static final String INTO =
      "INSERT INTO request_log (started_at, id, project_id, key_id, request_id, thread_hash, endpoint,"
          + " provider, model, status, stream, "
          + Figure.columns("")
          + ", error_type, attempt, outcome, attempt_status, attempt_ms, counted, target_endpoint, alias) VALUES ";

  /** Characters of a row, about. */
  private static final int ROW_LENGTH = 400;

  private RequestLogInsert() {}

  /**
   * Inserts rows of one home unless all of them exist already, since a batch may be written twice.
   *
   * @return whether they were inserted
   * @throws IllegalStateException if only some of them exist; none is inserted then
   * @throws SQLException for every other reason; none is inserted
   */
  static boolean insert(Connection connection, List<LoggedCall> calls) throws SQLException {
    SqlText sql =
        new SqlText(INTO.length() + calls.size() * ROW_LENGTH)
            .sql(INTO)
            .list(calls, RequestLogInsert::append);
    try {
      sql.execute(connection);
      return true;
    } catch (SQLException e) {
      // INSERT IGNORE would also truncate values that do not fit, without an error.
      if (DatabaseFailure.of(e) != DatabaseFailure.DUPLICATE_KEY) {
        throw e;
      }
      if (existing(connection, calls).size() < calls.size()) {
        throw new IllegalStateException("some rows of the batch exist already", e);
      }
      return false;
    }
  }

  private static List<Long> existing(Connection connection, List<LoggedCall> calls)
      throws SQLException {
    List<Long> ids = new ArrayList<>();
    // For (started_at, id) IN (...) MariaDB reads the whole table.
    new SqlText(256 + calls.size() * 80)
        .sql("SELECT id FROM request_log WHERE ")
        .any(
            calls,
            (sql, call) ->
                sql.sql("started_at = ").time(call.startedAt()).sql(" AND id = ").number(call.id()))
        .within(Home.of(calls.get(0).projectId()), "project_id")
        .query(connection, row -> ids.add(row.getLong(1)));
    return ids;
  }

  private static void append(SqlText sql, LoggedCall call) {
    sql.sql("(").time(call.startedAt()).sql(",").number(call.id());
    sql.sql(",").number(call.projectId());
    sql.sql(",").number(call.keyId());
    sql.sql(",").string(call.requestId());
    sql.sql(",").hex(call.threadHash());
    sql.sql(",").string(call.endpoint());
    CallFigures figures = call.figures();
    sql.sql(",").string(figures.provider());
    sql.sql(",").string(figures.model());
    sql.sql(",").number(figures.status());
    sql.sql(figures.stream() ? ",TRUE" : ",FALSE");
    for (Figure figure : Figure.LOGGED) {
      sql.sql(",").number(figures.values().stored(figure));
    }
    sql.sql(",").string(figures.errorType());
    CallFigures.Attempt attempt = figures.attempt();
    sql.sql(",").number(attempt.number());
    sql.sql(attempt.answered() ? ",'answered'," : ",'failed_over',").number(attempt.status());
    sql.sql(",").number(attempt.millis());
    Counted counted = figures.counted();
    sql.sql(",").string(counted == null ? null : counted.wireName());
    sql.sql(",").string(call.targetEndpoint());
    sql.sql(",").string(call.alias()).sql(")");
  }
}
