package io.memorygateway.ratelimit.window;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Removes the rows of keys that nobody has used for two days, which is longer than any window:
 * found by a plain read, deleted by primary key in small transactions that lock nothing else.
 */
public final class IdleRows {
  static final Duration IDLE = RuleSlots.FREE_AFTER;

  /** Of this schema, on a server that may have several. MySQL 9 has no MD5 any more. */
  static final String LOCK = "CONCAT('rate_limits_', LEFT(SHA2(DATABASE(), 256), 40))";

  private static final int BATCH = 200;
  private static final String FIND =
      """
      SELECT key_id FROM rate_limit_windows
      WHERE key_id > ? AND touched_at < %1$s - %2$d ORDER BY key_id LIMIT %3$d
      """
          .formatted(WindowStatement.NOW, IDLE.toMillis(), BATCH);
  private static final String REMOVE =
      "DELETE FROM rate_limit_windows WHERE key_id = ? AND touched_at < %s - %d"
          .formatted(WindowStatement.NOW, IDLE.toMillis());

  private final Connection connection;

  /**
   * Works on a connection of its own.
   *
   * @param connection without auto-commit
   */
  public IdleRows(Connection connection) {
    this.connection = connection;
  }

  /** Removes all there are, unless another node is at it; returns how many. */
  public int remove() throws SQLException {
    if (!lock()) {
      return 0;
    }
    try {
      int removed = 0;
      List<Long> keys = find(Long.MIN_VALUE);
      while (!keys.isEmpty()) {
        removed += remove(keys);
        keys = find(keys.get(keys.size() - 1));
      }
      return removed;
    } finally {
      unlock();
    }
  }

  private boolean lock() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT GET_LOCK(" + LOCK + ", 0)")) {
      return row.next() && row.getInt(1) == 1;
    }
  }

  private void unlock() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT RELEASE_LOCK(" + LOCK + ")");
    }
  }

  private List<Long> find(long after) throws SQLException {
    List<Long> keys = new ArrayList<>();
    try (PreparedStatement find = connection.prepareStatement(FIND)) {
      find.setLong(1, after);
      try (ResultSet row = find.executeQuery()) {
        while (row.next()) {
          keys.add(row.getLong(1));
        }
      }
    }
    connection.commit();
    return keys;
  }

  private int remove(List<Long> keys) throws SQLException {
    int removed = 0;
    try (PreparedStatement remove = connection.prepareStatement(REMOVE)) {
      for (long key : keys) {
        remove.setLong(1, key);
        removed += remove.executeUpdate();
      }
    }
    connection.commit();
    return removed;
  }
}
