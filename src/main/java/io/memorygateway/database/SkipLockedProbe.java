package io.memorygateway.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Finds out whether a server passes over locked rows where it is told to, which work is shared out
 * by: some databases that speak MySQL's protocol take the words and ignore them. Tried on a row of
 * the table {@code leases} that nothing else uses.
 */
final class SkipLockedProbe {
  private static final String ROW = "skip-locked-probe";
  private static final String LOCK = "SELECT 1 FROM leases WHERE name = ? FOR UPDATE";

  private SkipLockedProbe() {}

  /**
   * Tries it.
   *
   * @param holder locks the row meanwhile
   * @param other passes it over
   * @throws IllegalArgumentException with a line for the operator, if it does not
   */
  static void require(Connection holder, Connection other) throws SQLException {
    try (PreparedStatement insert =
        holder.prepareStatement(
            "INSERT IGNORE INTO leases (name, owner, expires_at) VALUES (?, '', UTC_TIMESTAMP(3))")) {
      insert.setString(1, ROW);
      insert.executeUpdate();
    }
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

  /** Whether the row was to be had; a wait for it that ends without it is none to pass over. */
  private static boolean locks(Connection connection, String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, ROW);
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    } catch (SQLException e) {
      if (DatabaseFailure.of(e) == DatabaseFailure.LOCK_WAIT_TIMEOUT) {
        return true;
      }
      throw e;
    }
  }
}
