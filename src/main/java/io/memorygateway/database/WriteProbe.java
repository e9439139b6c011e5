package io.memorygateway.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Probe of whether a server writes at the gateway's isolation: one that logs statements instead of
 * rows starts, answers and refuses every write. Changes nothing.
 */
final class WriteProbe {
  private static final String WRITE =
      "UPDATE rate_limit_slots SET seen_at = seen_at WHERE slot = 23";

  /** Error of both servers: the statement cannot be written to the binary log. */
  private static final int NOT_FOR_BINARY_LOG = 1665;

  private WriteProbe() {}

  /**
   * Runs the probe.
   *
   * @param connection without auto-commit
   * @throws IllegalArgumentException with a line for the operator, if the server refuses the write
   *     for its binary log; other refusals are told where they concern a request
   */
  static void require(Connection connection) throws SQLException {
    connection.rollback();
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate(WRITE);
    } catch (SQLException e) {
      if (e.getErrorCode() == NOT_FOR_BINARY_LOG) {
        throw new IllegalArgumentException(
            "database: the server refuses writes at READ COMMITTED, because its binary log takes"
                + " statements; set binlog_format = ROW there",
            e);
      }
    } finally {
      connection.rollback();
    }
  }
}
