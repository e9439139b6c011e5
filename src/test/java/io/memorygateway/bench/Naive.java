package io.memorygateway.bench;

import io.memorygateway.http.api.RequestKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;

/** A transaction per request: an upsert for every counter, a look at them, commit. */
final class Naive implements Contender {
  private static final long LIMIT = 1_000_000_000L;
  private static final String COUNT =
      """
      INSERT INTO bench_naive (key_id, rule, started, used)
      VALUES (?, ?, UNIX_TIMESTAMP() DIV ?, 1)
      ON DUPLICATE KEY UPDATE
        used = IF(started = VALUES(started), used + 1, 1), started = VALUES(started)
      """;

  private record Counter(int rule, int seconds) {}

  private final DataSource pool;

  Naive(DataSource pool) throws SQLException {
    this.pool = pool;
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS bench_naive");
      statement.execute(
          """
          CREATE TABLE bench_naive (
            key_id BIGINT NOT NULL, rule INT NOT NULL,
            started BIGINT NOT NULL, used BIGINT NOT NULL, PRIMARY KEY (key_id, rule))
          """);
    }
  }

  @Override
  public String name() {
    return "one transaction per request";
  }

  @Override
  public boolean admit(long key, RequestKind kind) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      connection.setAutoCommit(false);
      try {
        boolean within = count(connection, key, kind);
        if (within) {
          connection.commit();
        } else {
          connection.rollback();
        }
        return within;
      } catch (SQLException e) {
        connection.rollback();
        throw e;
      }
    }
  }

  private static boolean count(Connection connection, long key, RequestKind kind)
      throws SQLException {
    try (PreparedStatement upsert = connection.prepareStatement(COUNT)) {
      for (Counter counter : counters(kind)) {
        upsert.setLong(1, key);
        upsert.setInt(2, counter.rule());
        upsert.setInt(3, counter.seconds());
        upsert.executeUpdate();
      }
    }
    try (PreparedStatement look =
        connection.prepareStatement("SELECT MAX(used) FROM bench_naive WHERE key_id = ?")) {
      look.setLong(1, key);
      try (ResultSet row = look.executeQuery()) {
        row.next();
        return row.getLong(1) <= LIMIT;
      }
    }
  }

  private static List<Counter> counters(RequestKind kind) {
    return switch (kind) {
      case LLM -> List.of(new Counter(0, 60), new Counter(1, 60), new Counter(2, 10));
      case MEMORY_READ -> List.of(new Counter(0, 60), new Counter(3, 60));
      case MEMORY_WRITE -> List.of(new Counter(0, 60), new Counter(4, 60));
      case OTHER -> List.of(new Counter(0, 60));
    };
  }
}
