package io.memorygateway.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Probe of whether a server skips locked rows as told, by which work is distributed: some databases
 * that speak MySQL's protocol accept the words and ignore them. Locks the last row of {@code
 * rate_limit_slots} for a moment, and changes nothing.
 */
final class SkipLockedProbe {
  private static final String LOCK = "SELECT 1 FROM rate_limit_slots WHERE slot = 23 FOR UPDATE";

  private SkipLockedProbe() {}

  /**
   * Runs the probe.
   *
   * @param holder locks the row meanwhile
   * @param other has to skip it
   * @throws IllegalArgumentException with a line for the operator, if it does not
   */
  static void require(Connection holder, Connection other) throws SQLException {
    holder.setAutoCommit(false);
    other.setAutoCommit(false);
    try {
      limitWaits(holder);
      limitWaits(other);
      boolean skips = locks(holder, LOCK) && !locks(other, LOCK + " SKIP LOCKED");
      if (!skips) {
        throw new IllegalArgumentException(
            "database: the server does not pass over locked rows where it is told to (FOR UPDATE SKIP"
                + " LOCKED), so what the gateway promises cannot be kept on it");
      }
    } finally {
      other.rollback();
      holder.rollback();
    }
  }

  private static void limitWaits(Connection connection) throws SQLException {
    try (Statement settings = connection.createStatement()) {
      settings.execute("SET SESSION innodb_lock_wait_timeout = " + SessionLimits.LOCK_WAIT_SECONDS);
    }
  }

  /** Whether a statement locks the row, or waits for it in vain; false if it skips the row. */
  private static boolean locks(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.next();
    } catch (SQLException e) {
      if (DatabaseFailure.of(e) == DatabaseFailure.LOCK_WAIT_TIMEOUT) {
        return true;
      }
      throw e;
    }
  }
}
