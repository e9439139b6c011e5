package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.testing.TestDatabase;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Random;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Reads of one state of the database, on a connection that others have before and after. */
class SnapshotIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final String SLOTS = "SELECT COUNT(*) FROM rate_limit_slots WHERE rule IS NULL";

  @AutoClose private Connection connection;
  private Transactions transactions;

  @BeforeEach
  void connect() throws SQLException {
    connection = DATABASE.connect();
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    transactions =
        new Transactions(Jdbi.create(connection), new Random(1), new PrometheusRegistry());
  }

  @Test
  void allStatementsSeeTheStateOfTheFirst() throws SQLException {
    int first =
        transactions.snapshot(
            handle -> {
              int before = slots(handle);
              takeASlot();
              assertThat(slots(handle)).isEqualTo(before);
              return before;
            });

    assertThat(transactions.<Integer>read(SnapshotIT::slots)).isEqualTo(first - 1);
    assertThatTheConnectionIsAsBefore();
  }

  @Test
  void theConnectionIsAsBeforeAlsoAfterAFailure() throws SQLException {
    assertThatThrownBy(
            () ->
                transactions.snapshot(
                    handle -> {
                      slots(handle);
                      throw new IllegalStateException("not found");
                    }))
        .hasMessage("not found");

    int before = transactions.<Integer>read(SnapshotIT::slots);
    takeASlot();
    assertThat(transactions.<Integer>read(SnapshotIT::slots)).isEqualTo(before - 1);
    assertThatTheConnectionIsAsBefore();
  }

  private void assertThatTheConnectionIsAsBefore() throws SQLException {
    assertThat(connection.getTransactionIsolation())
        .isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
    // Of the session, not of its next transaction alone.
    transactions.read(handle -> handle.execute("COMMIT"));
    assertThat(connection.getTransactionIsolation())
        .isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
    assertThat(connection.getAutoCommit()).isTrue();
  }

  private static int slots(Handle handle) {
    return handle.createQuery(SLOTS).mapTo(Integer.class).one();
  }

  private static void takeASlot() throws SQLException {
    try (Connection other = DATABASE.connect();
        var statement = other.createStatement()) {
      statement.executeUpdate(
          "UPDATE rate_limit_slots SET rule = UUID() WHERE rule IS NULL ORDER BY slot LIMIT 1");
    }
  }
}
