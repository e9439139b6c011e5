package io.memorygateway.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.DatabaseRelay;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A node that freezes in the middle of a transaction, as on a paused machine, stops nobody but
 * those who write to the same thread, and them for some seconds.
 */
@Tag("heavy")
class FrozenNodeIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway HEALTHY = new TestGateway(DATABASE, UPSTREAM);

  private final ExecutorService callers = Executors.newCachedThreadPool();
  private DatabaseRelay relay;
  private TestGateway freezing;
  private MemoryClient client;
  private MemoryClient ofFreezing;

  @BeforeEach
  void start() throws Exception {
    relay = DatabaseRelay.to(DATABASE.port());
    freezing =
        new TestGateway(DATABASE, UPSTREAM)
            .with(
                // The relay reads statements.
                "DATABASE_URL", DATABASE.url(relay).replace("PREFERRED", "DISABLED"));
    freezing.start();
    String key = HEALTHY.issueKey("frozen-" + System.nanoTime());
    client = new MemoryClient(HEALTHY, key);
    ofFreezing = new MemoryClient(freezing, key);
    // Every slot of the project's counts is in use.
    for (int i = 0; i < 8; i++) {
      create(client, "early-" + i).is(201);
    }
  }

  @AfterEach
  void stop() throws Exception {
    callers.shutdownNow();
    relay.restore(DATABASE.port());
    freezing.stop();
    relay.close();
  }

  @Test
  void messagesOfTheNewestThreadHoldUpNoOtherThread() throws Exception {
    create(client, "newest").is(201);
    client.post("/threads/newest/messages", messages(0, 1)).is(201);
    // More than are stored with those of others, with ids that have to be looked for.
    relay.loseNextCommit(DatabaseRelay.LostCommit.HELD, false);
    Future<?> unused =
        callers.submit(() -> ofFreezing.post("/threads/newest/messages", messages(100, 160)));
    await().until(relay::hasLostCommit);

    // At once: the server ends the frozen transaction after some seconds.
    MemoryClient.Reply refused = client.post("/threads/newest/messages", messages(1, 2));
    refused.isError(503, "service_unavailable");
    assertThat(refused.http().headers().firstValueAsLong("Retry-After").orElse(0)).isPositive();
    assertThat(metrics()).containsPattern("memory_gateway_lock_wait_refusals_total [1-9]");
    client.get("/threads/newest/messages").is(200);
    for (int i = 0; i < 16; i++) {
      create(client, "later-" + i).is(201);
      client.post("/threads/later-" + i + "/messages", messages(0, i % 2 == 0 ? 1 : 60)).is(201);
    }

    await().until(() -> client.post("/threads/newest/messages", messages(1, 2)).status() == 201);
    assertThat(client.get("/threads/newest/messages").json().get("total").asInt()).isEqualTo(2);
  }

  @Test
  void aThreadThatIsBeingMadeHoldsUpNoOtherOne() throws Exception {
    freezeWhile(
        "SELECT slot FROM thread_counts FOR UPDATE",
        "SELECT slot FROM thread_counts FOR UPDATE SKIP LOCKED",
        () -> create(ofFreezing, "half-made"));

    // At once: the server ends the frozen transaction after some seconds.
    create(client, "half-made").isError(503, "service_unavailable");
    for (int i = 0; i < 20; i++) {
      create(client, "made-" + i).is(201);
    }
    await().until(() -> create(client, "half-made").status() == 201);
  }

  @Test
  void connectionsThatTheServerHasEndedReachNoCaller() throws Exception {
    create(client, "quiet").is(201);
    for (int round = 0; round < 3; round++) {
      endAllConnections();
      client.get("/threads/quiet").is(200);
      client.patch("/threads/quiet", "{\"title\":\"t" + round + "\"}").is(200);
      client.post("/threads/quiet/messages", messages(round, round + 1)).is(201);
      client.get("/threads/quiet/messages").is(200);
    }
  }

  /**
   * Freezes the node while it waits, in the middle of its transaction, for a lock that this test
   * holds, and lets go of that.
   *
   * @param lock what is locked here
   * @param probe finds fewer rows than are there while the frozen node holds its locks
   */
  private void freezeWhile(String lock, String probe, Runnable request) throws Exception {
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      connection.setAutoCommit(false);
      for (int attempt = 0; attempt < 20; attempt++) {
        int all = rows(statement, lock);
        Future<?> unused = callers.submit(request);
        await().until(this::someoneWaits);
        relay.hang();
        connection.rollback();
        // Unless it was just between two attempts.
        TimeUnit.MILLISECONDS.sleep(100);
        int free = rows(statement, probe);
        connection.rollback();
        if (free < all) {
          return;
        }
        relay.restore(DATABASE.port());
      }
      throw new AssertionError("it never froze in the middle");
    }
  }

  private boolean someoneWaits() throws SQLException {
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT COUNT(*) FROM information_schema.INNODB_TRX t"
                    + " JOIN information_schema.PROCESSLIST p ON p.ID = t.trx_mysql_thread_id"
                    + " WHERE t.trx_state = 'LOCK WAIT' AND p.DB = DATABASE()")) {
      row.next();
      return row.getInt(1) > 0;
    }
  }

  private static int rows(Statement statement, String query) throws SQLException {
    int rows = 0;
    try (ResultSet found = statement.executeQuery(query)) {
      while (found.next()) {
        rows++;
      }
    }
    return rows;
  }

  private static void endAllConnections() throws SQLException {
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      List<Long> others = new ArrayList<>();
      try (ResultSet found =
          statement.executeQuery(
              "SELECT ID FROM information_schema.PROCESSLIST"
                  + " WHERE DB = DATABASE() AND ID <> CONNECTION_ID()")) {
        while (found.next()) {
          others.add(found.getLong(1));
        }
      }
      for (long other : others) {
        try {
          statement.execute("KILL " + other);
        } catch (SQLException e) {
          // It has ended already.
        }
      }
    }
  }

  private static MemoryClient.Reply create(MemoryClient by, String id) {
    return by.post("/threads", "{\"id\":\"" + id + "\",\"resourceId\":\"r\"}");
  }

  private static String messages(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(i -> "{\"id\":\"m" + i + "\",\"role\":\"user\",\"content\":\"" + i + "\"}")
        .collect(Collectors.joining(",", "{\"messages\":[", "]}"));
  }

  private static String metrics() throws Exception {
    return HEALTHY
        .send(
            java.net.http.HttpRequest.newBuilder(
                java.net.URI.create(HEALTHY.adminUrl() + "/metrics")))
        .body();
  }
}
