package io.memorygateway.bench;

import io.memorygateway.http.api.RequestKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** One statement per request, which decides, counts and, by LAST_INSERT_ID(expr), answers. */
final class OneStatement implements Contender {
  private static final String SQL =
      """
      INSERT INTO bench_one (key_id, minute, tens, total, a, b)
      VALUES (?, UNIX_TIMESTAMP() DIV 60, UNIX_TIMESTAMP() DIV 10, 1, 1, ?)
      ON DUPLICATE KEY UPDATE
        total = IF(minute = VALUES(minute), total, 0), a = IF(minute = VALUES(minute), a, 0),
        b = IF(tens = VALUES(tens), b, 0), minute = VALUES(minute), tens = VALUES(tens),
        within = LAST_INSERT_ID(
          IF(total < 1000000000 AND a < 1000000000 AND b + VALUES(b) <= 1000000000, 2, 1)),
        total = total + within - 1, a = a + within - 1, b = b + (within - 1) * VALUES(b)
      """;

  private final DataSource pool;

  OneStatement(DataSource pool) throws SQLException {
    this.pool = pool;
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS bench_one");
      statement.execute(
          """
          CREATE TABLE bench_one (
            key_id BIGINT NOT NULL PRIMARY KEY, minute BIGINT NOT NULL, tens BIGINT NOT NULL,
            total BIGINT NOT NULL, a BIGINT NOT NULL, b BIGINT NOT NULL,
            within INT NOT NULL DEFAULT 2)
          """);
    }
  }

  @Override
  public String name() {
    return "one statement per request";
  }

  @Override
  public boolean admit(long key, RequestKind kind) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement =
            connection.prepareStatement(SQL, Statement.RETURN_GENERATED_KEYS)) {
      statement.setLong(1, key);
      statement.setLong(2, kind == RequestKind.LLM ? 1 : 0);
      statement.executeUpdate();
      try (ResultSet answer = statement.getGeneratedKeys()) {
        return !answer.next() || answer.getLong(1) != 1;
      }
    }
  }
}
