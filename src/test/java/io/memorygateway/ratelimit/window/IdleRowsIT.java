package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Jdbi;
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
    assertThat(IdleRows.remove(jdbi())).isEqualTo(1_000);
    assertThat(rows()).isEqualTo(10);
  }

  @Test
  void theyTakeTheRowsOfTheirDeadHoldersWithThem() throws SQLException {
    update("INSERT INTO rate_limit_holders (key_id, node, slots) VALUES (7, 1, 1), (1005, 1, 1)");
    IdleRows.remove(jdbi());
    assertThat(number("SELECT SUM(key_id) FROM rate_limit_holders")).isEqualTo(1_005);
    update("DELETE FROM rate_limit_holders");
  }

  @Test
  void oneNodeIsAtItAtATime() throws SQLException {
    update(
        "INSERT INTO leases VALUES ('"
            + IdleRows.LEASE
            + "', 'another', UTC_TIMESTAMP(3) + INTERVAL 60 SECOND)");
    assertThat(IdleRows.remove(jdbi())).isZero();
    update("DELETE FROM leases");
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
    return number("SELECT COUNT(*) FROM rate_limit_windows");
  }

  private static long number(String query) throws SQLException {
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }

  private static Jdbi jdbi() {
    return Jdbi.create(DATABASE.url(), DATABASE.user(), DATABASE.password());
  }

  private static void update(String sql) throws SQLException {
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql);
    }
  }
}
