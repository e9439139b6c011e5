package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Contract §13: locks of a node that freezes end by themselves, whichever limit the server has. */
class DatabaseTopologyTest {
  @Test
  void aServerThatLimitsSessionsIsNotAskedForMore() throws SQLException {
    AnsweringServer server =
        new AnsweringServer(sql -> sql.contains("@@SESSION.wait_timeout") ? 17 : null);
    assertThat(DatabaseTopology.of(server.connect()).kind())
        .isEqualTo(DatabaseTopology.Kind.ONE_SERVER);
    assertThat(server.told).noneMatch(sql -> sql.contains("transaction_timeout"));
  }

  @Test
  void oneThatLimitsTransactionsInsteadIsToldToDoSo() throws SQLException {
    AnsweringServer server = new AnsweringServer(DatabaseTopologyTest::vitess);
    DatabaseTopology.Kind kind = DatabaseTopology.of(server.connect()).kind();
    assertThat(kind).isEqualTo(DatabaseTopology.Kind.VITESS);
    assertThat(SessionLimits.addedTo("jdbc:mysql://h/s", null, kind.session()))
        .startsWith("transaction_timeout=15000,query_timeout=15000,innodb_lock_wait_timeout=1,");
  }

  private static @Nullable Object vitess(String sql) {
    return sql.contains("@@SESSION.wait_timeout")
        ? "28800"
        : sql.contains("@@transaction_timeout") ? "15000" : null;
  }

  @Test
  void oneThatLimitsNothingIsRefused() {
    AnsweringServer ignoring =
        new AnsweringServer(sql -> sql.startsWith("SELECT @@") ? 28_800 : null);
    assertRefused(ignoring);
    AnsweringServer unknowing =
        new AnsweringServer(
            sql -> {
              if (sql.startsWith("SET SESSION transaction_timeout")) {
                throw new SQLException("Unknown system variable", "HY000", 1193);
              }
              return sql.startsWith("SELECT @@") ? 28_800 : null;
            });
    assertRefused(unknowing);
  }

  private static void assertRefused(AnsweringServer server) {
    assertThatThrownBy(() -> DatabaseTopology.of(server.connect()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("database: ")
        .hasMessageContaining("wait_timeout");
  }

  @Test
  void aConnectionThatBreaksMeanwhileIsNoRefusal() {
    AnsweringServer gone =
        new AnsweringServer(
            sql -> {
              throw new SQLException("gone", "08S01");
            });
    assertThatThrownBy(() -> DatabaseTopology.of(gone.connect())).isInstanceOf(SQLException.class);
  }
}
