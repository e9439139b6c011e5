package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.ratelimit.Limits;
import io.memorygateway.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class IdleRowsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  @BeforeEach
  void aThousandIdleKeysAndTenInUse() throws SQLException {
    update("DELETE FROM rate_limit_windows");
    insert(1, 1_000, "49 HOUR");
    insert(1_001, 1_010, "47 HOUR");
  }

  @Test
  void rowsOfIdleKeysAreRemovedAndNoOthers() throws SQLException {
    try (Connection connection = connect()) {
      assertThat(new IdleRows(connection).remove()).isEqualTo(1_000);
    }
    assertThat(rows()).isEqualTo(10);
  }

  @Test
  void oneNodeIsAtItAtATime() throws SQLException {
    try (Connection other = connect();
        Connection connection = connect()) {
      other.createStatement().execute("SELECT GET_LOCK(" + IdleRows.LOCK + ", 0)");
      assertThat(new IdleRows(connection).remove()).isZero();
      // The server notices that a connection was closed when it gets round to it.
      other.createStatement().execute("SELECT RELEASE_LOCK(" + IdleRows.LOCK + ")");
    }
    assertThat(rows()).isEqualTo(1_010);
  }

  private static void insert(int from, int to, String ago) throws SQLException {
    String then =
        "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3) - INTERVAL "
            + ago
            + ") DIV 1000";
    update(
        "INSERT INTO rate_limit_windows (key_id, touched_at) VALUES "
            + IntStream.rangeClosed(from, to)
                .mapToObj(key -> "(" + key + ", " + then + ")")
                .collect(Collectors.joining(", ")));
  }

  private static long rows() throws SQLException {
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM rate_limit_windows")) {
      row.next();
      return row.getLong(1);
    }
  }

  private static Connection connect() throws SQLException {
    return Limits.address(DATABASE).connect(Duration.ofSeconds(30), Duration.ofSeconds(60));
  }

  private static void update(String sql) throws SQLException {
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql);
    }
  }
}
