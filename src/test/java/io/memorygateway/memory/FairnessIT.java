package io.memorygateway.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import io.memorygateway.testing.TestTimeout;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One caller's writes on a locked thread leave the others their connections. */
@Tag("heavy")
class FairnessIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM).withShippedTimeouts();

  private static final int WRITERS = 40;

  @AutoClose("shutdownNow")
  private final ExecutorService callers = Executors.newCachedThreadPool();

  @Test
  void aLockedThreadStopsNoOtherProject() throws Exception {
    MemoryClient busy = MemoryClient.ofNewProject(GATEWAY);
    MemoryClient other = MemoryClient.ofNewProject(GATEWAY);
    busy.post("/threads", "{\"id\":\"locked\",\"resourceId\":\"r\"}").is(201);
    busy.post("/threads", "{\"id\":\"free\",\"resourceId\":\"r\"}").is(201);
    other.post("/threads", "{\"id\":\"its\",\"resourceId\":\"r\"}").is(201);
    List<Future<Integer>> writes = new ArrayList<>();
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      // So that rows which are only looked at are not locked as well.
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      connection.setAutoCommit(false);
      statement.executeQuery("SELECT * FROM thread_heads WHERE public_id = 'locked' FOR UPDATE");
      for (int i = 0; i < WRITERS; i++) {
        writes.add(
            callers.submit(() -> busy.patch("/threads/locked", "{\"title\":\"t\"}").status()));
      }
      await().until(() -> waiting(connection) > 0);

      for (int i = 0; i < WRITERS; i++) {
        other.get("/threads").is(200);
        other.patch("/threads/its", "{\"title\":\"" + i + "\"}").is(200);
        busy.get("/threads/locked").is(200);
        busy.patch("/threads/free", "{\"title\":\"" + i + "\"}").is(200);
      }
      for (Future<Integer> write : writes) {
        assertThat(write.get(TestTimeout.SECONDS, TimeUnit.SECONDS)).isEqualTo(503);
      }
      connection.rollback();
    }
    busy.patch("/threads/locked", "{\"title\":\"t\"}").is(200);
  }

  private static int waiting(Connection connection) throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT COUNT(*) FROM information_schema.INNODB_TRX t"
                    + " JOIN information_schema.PROCESSLIST p ON p.ID = t.trx_mysql_thread_id"
                    + " WHERE t.trx_state = 'LOCK WAIT' AND p.DB = DATABASE()")) {
      row.next();
      return row.getInt(1);
    }
  }
}
