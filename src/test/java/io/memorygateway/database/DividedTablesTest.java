package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Contract §13: what the start finds out about homes that are divided among shards. */
class DividedTablesTest {
  private static final List<Home> HOMES = List.of(Home.FIRST, new Home(16_384));

  @Test
  void everyTableIsTriedForEachHomeAndNothingStays() throws SQLException {
    AnsweringServer vitess = new AnsweringServer(sql -> null);

    DividedTables.requireTogether(vitess.connect(), HOMES);

    for (Home home : HOMES) {
      DividedTables.COLUMNS.forEach(
          (table, column) ->
              assertThat(vitess.told)
                  .contains(
                      "DELETE FROM %s WHERE %s = %d LIMIT 0".formatted(table, column, home.first()),
                      "DELETE FROM %s WHERE %s = %d LIMIT 0"
                          .formatted(table, column, home.last())));
    }
    assertThat(vitess.told).endsWith("rollback").doesNotContain("commit");
  }

  @Test
  void aTableThatIsElsewhereIsNamedWithItsHome() {
    AnsweringServer vitess =
        new AnsweringServer(
            sql -> {
              if (sql.startsWith("DELETE FROM usage_hours WHERE project_id = 46")) {
                throw new SQLException("multi-db transaction attempted: [...]", "HY000", 1317);
              }
              return null;
            });

    assertThatThrownBy(() -> DividedTables.requireTogether(vitess.connect(), HOMES))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("home 16384")
        .hasMessageContaining("usage_hours is not where")
        .hasMessageContaining("ops/vitess/divide");
    assertThat(vitess.told).endsWith("rollback");
  }

  @Test
  void aServerThatIsAwayIsNoWrongTable() {
    AnsweringServer vitess =
        new AnsweringServer(
            sql -> {
              throw new SQLException("gone", "08S01", 0);
            });

    assertThatThrownBy(() -> DividedTables.requireTogether(vitess.connect(), HOMES))
        .isInstanceOf(SQLException.class);
  }
}
