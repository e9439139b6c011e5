package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Contract §13: what the start finds out about servers that take a setting and do not heed it. */
class ServerProbesTest {
  private final AnsweringServer holder = new AnsweringServer(sql -> null);

  @Test
  void aTransactionThatEndsByItselfPassesAndLeavesNothing() throws SQLException {
    AnsweringServer other = new AnsweringServer(sql -> null);

    ServerProbes.requireTransactionsEnd(holder.connect(), other.connect());

    assertThat(holder.told.get(2)).startsWith("INSERT INTO leases").isEqualTo(other.told.get(2));
    assertThat(holder.told).endsWith("rollback").doesNotContain("commit");
    assertThat(other.told).endsWith("rollback").doesNotContain("commit");
  }

  @Test
  void oneThatKeepsItsLocksIsRefusedWithTheSetting() {
    AnsweringServer waiting =
        new AnsweringServer(
            sql -> {
              if (sql.startsWith("INSERT")) {
                throw new SQLException("Lock wait timeout exceeded", "HY000", 1205);
              }
              return null;
            });

    assertThatThrownBy(
            () -> ServerProbes.requireTransactionsEnd(holder.connect(), waiting.connect()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("queryserver-config-transaction-timeout");
    assertThat(waiting.told).endsWith("rollback");
  }

  @Test
  void aSchemaOfAnotherNameIsRefusedWithTheSetting() throws SQLException {
    AnsweringServer vitess = new AnsweringServer(sql -> "vt_gateway_0");
    assertThatThrownBy(() -> ServerProbes.requireSameSchema(vitess.connect()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("keyspace gateway is vt_gateway_0")
        .hasMessageContaining("init-db-name-override");

    ServerProbes.requireSameSchema(new AnsweringServer(sql -> "Gateway").connect());
    ServerProbes.requireSameSchema(new AnsweringServer(sql -> null).connect());
  }

  @Test
  void aKeyspaceWithShardsIsRefusedForTheOneWithout() throws SQLException {
    AnsweringServer vitess = new AnsweringServer(sql -> List.of("gateway", "true"));
    assertThatThrownBy(() -> ServerProbes.requireWithoutShards(vitess.connect()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("database.url: the keyspace gateway has shards");

    ServerProbes.requireWithoutShards(answering(List.of("gateway", "false")));
    ServerProbes.requireWithoutShards(answering(List.of("other", "true")));
    AnsweringServer mysql =
        new AnsweringServer(
            sql -> {
              throw new SQLException("You have an error in your SQL syntax", "42000", 1064);
            });
    ServerProbes.requireWithoutShards(mysql.connect());
  }

  @Test
  void aServerThatIsReadOnlyIsToldByItsRefusalOfAWrite() throws SQLException {
    assertThat(ServerProbes.isReadOnly(readOnly("1", 1290).connect())).isTrue();
    // An account that may write all the same.
    assertThat(ServerProbes.isReadOnly(readOnly("ON", 0).connect())).isFalse();
    AnsweringServer primary = readOnly("0", 1290);
    assertThat(ServerProbes.isReadOnly(primary.connect())).isFalse();
    assertThat(primary.told).noneMatch(sql -> sql.startsWith("DELETE"));
    assertThatThrownBy(() -> ServerProbes.isReadOnly(readOnly("1", 1040).connect()))
        .isInstanceOf(SQLException.class);
    assertThat(ServerProbes.isReadOnly(readOnly("1", 1105).connect()))
        .as("a proxy that does not know what it is asked")
        .isFalse();
  }

  private static AnsweringServer readOnly(String variable, int refusal) {
    return new AnsweringServer(
        sql -> {
          if (sql.startsWith("DELETE") && refusal != 0) {
            throw new SQLException(
                "The server is running with the --read-only option", "", refusal);
          }
          return sql.startsWith("SHOW") ? null : List.of(variable, "0");
        });
  }

  private static Connection answering(Object row) {
    return new AnsweringServer(sql -> row).connect();
  }
}
