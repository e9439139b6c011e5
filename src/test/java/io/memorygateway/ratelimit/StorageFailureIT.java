package io.memorygateway.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dropwizard.util.Duration;
import io.memorygateway.auth.Caller;
import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import io.memorygateway.ratelimit.window.StorageFailurePolicy;
import io.memorygateway.ratelimit.window.WindowLimiter;
import io.memorygateway.testing.DatabaseRelay;
import io.memorygateway.testing.EmbeddedMariaDb;
import io.memorygateway.testing.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The database goes away in the middle of the load, and comes back. Windows are of a day. */
@Tag("heavy")
class StorageFailureIT {
  private static final Caller CALLER = Limits.caller(1);
  @TempDir static Path folder;

  private static EmbeddedMariaDb mariadb;
  private DatabaseRelay relay;
  private WindowLimiter limiter;

  @BeforeAll
  static void startDatabase() throws Exception {
    mariadb = EmbeddedMariaDb.start(Path.of("target", "mariadb"), folder);
    try (Connection connection = connect()) {
      TestDatabase.migrate(connection);
    }
  }

  @AfterAll
  static void stopDatabase() {
    mariadb.close();
  }

  @BeforeEach
  void startRelay() throws Exception {
    Limits.awaitRoomInTheDay();
    try (Connection connection = connect()) {
      connection.createStatement().executeUpdate("DELETE FROM rate_limit_windows");
    }
    relay = DatabaseRelay.to(mariadb.port());
  }

  @AfterEach
  void stop() throws Exception {
    limiter.stop();
    relay.close();
  }

  @Test
  void whileItIsAwayEachNodeCountsByItselfAndAddsWhatItAdmittedOnReturn() throws Exception {
    start(StorageFailurePolicy.LOCAL, 10);
    admit(3, Outcome.ALLOWED);
    await().until(() -> used() == 3);
    relay.cut();

    // It goes on from the three that it has seen.
    admit(2, Outcome.LOCAL);
    relay.restore(mariadb.port());
    await().until(() -> limiter.isShared());

    await().untilAsserted(() -> assertThat(used()).isEqualTo(5));
    admit(5, Outcome.ALLOWED);
    assertThat(decide().outcome()).isEqualTo(Outcome.LIMITED);
  }

  @Test
  void countingByItselfANodeKeepsTheFullLimit() throws Exception {
    start(StorageFailurePolicy.LOCAL, 10);
    relay.cut();

    admit(10, Outcome.LOCAL);
    Decision refused = decide();
    assertThat(refused.outcome()).isEqualTo(Outcome.LIMITED);
    assertThat(refused.shown().remaining()).isZero();
  }

  @Test
  void toldToDenyItAdmitsNothingUntilTheDatabaseIsBack() throws Exception {
    start(StorageFailurePolicy.DENY, 10);
    relay.cut();
    admit(3, Outcome.UNAVAILABLE);
    assertThat(limiter.isShared()).isFalse();

    relay.restore(mariadb.port());
    await().until(() -> decide().outcome() == Outcome.ALLOWED);
  }

  @Test
  void aServerThatHangsIsLeftAfterTheTimeoutAndEveryoneGoesOn() throws Exception {
    start(StorageFailurePolicy.LOCAL, 1_000_000, null);
    Queue<Decision> admitted = new ConcurrentLinkedQueue<>();
    Crowd crowd = Crowd.of(64, limiter, CALLER, admitted::add, refused -> {});
    await().until(() -> admitted.size() > 1_000);
    relay.hang();
    await().until(() -> admitted.stream().anyMatch(d -> d.outcome() == Outcome.LOCAL));
    relay.restore(mariadb.port());
    await().until(() -> limiter.isShared());
    crowd.disperse();

    await().untilAsserted(() -> assertThat(used()).isGreaterThanOrEqualTo(admitted.size()));
  }

  /** For less than the timeout. */
  @Test
  void aServerThatStandsStillForAWhileIsWaitedFor() throws Exception {
    start(StorageFailurePolicy.LOCAL, 10);
    relay.freeze();
    Queue<Decision> decisions = new ConcurrentLinkedQueue<>();
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      Thread caller = new Thread(() -> decisions.add(decide()), "caller-" + i);
      callers.add(caller);
      caller.start();
    }
    await().during(java.time.Duration.ofSeconds(2)).until(decisions::isEmpty);
    assertThat(limiter.isShared()).isTrue();
    relay.thaw();
    for (Thread caller : callers) {
      caller.join();
    }
    assertThat(decisions.stream().filter(d -> d.outcome() == Outcome.ALLOWED)).hasSize(10);
    assertThat(decisions.stream().filter(d -> d.outcome() == Outcome.LIMITED)).hasSize(6);
    assertThat(used()).isEqualTo(10);
  }

  @Test
  void aServerThatIsKilledAndStartedAgainLosesNoCount() throws Exception {
    start(StorageFailurePolicy.LOCAL, 1_000_000);
    Queue<Decision> admitted = new ConcurrentLinkedQueue<>();
    Crowd crowd = Crowd.of(16, limiter, CALLER, admitted::add, refused -> {});
    await().until(() -> admitted.size() > 1_000);
    ProcessHandle.of(mariadb.pid()).orElseThrow().destroyForcibly();
    await().until(() -> !limiter.isShared());
    mariadb.close();
    mariadb = EmbeddedMariaDb.start(Path.of("target", "mariadb"), folder);
    relay.restore(mariadb.port());
    await().until(() -> limiter.isShared());
    crowd.disperse();

    // What the dying server committed without saying so counts twice; nothing is forgotten.
    await().untilAsserted(() -> assertThat(used()).isGreaterThanOrEqualTo(admitted.size()));
    assertThat(admitted).anyMatch(d -> d.outcome() == Outcome.LOCAL);
  }

  /**
   * What is counted ahead may stay counted, which is a 32nd of what is left at most where calls
   * come fast, as may the request that is asked again.
   */
  @Test
  void aDroppedConnectionIsNoOutage() throws Exception {
    start(StorageFailurePolicy.DENY, 1_000);
    for (long newKey = 2; newKey < 7; newKey++) {
      admit(20, Outcome.ALLOWED);
      relay.dropAll();
      // Holds nothing ahead: asks the database, by a connection that the next drop finds whole.
      Decision decision = Limits.decide(limiter, Limits.caller(newKey), RequestKind.LLM);
      assertThat(decision.outcome()).isEqualTo(Outcome.ALLOWED);
    }
    admit(20, Outcome.ALLOWED);
    assertThat(used()).isBetween(120L, 125L + 6 * 1_000 / 32);
  }

  @Test
  void aNodeWithNothingToDecideNoticesTheLossToo() throws Exception {
    start(StorageFailurePolicy.LOCAL, 10);
    relay.cut();
    await().until(() -> !limiter.isShared());
  }

  @Test
  void withoutADatabaseAtTheStartItServesAndJoinsLater() throws Exception {
    relay.cut();
    make(StorageFailurePolicy.LOCAL, 10, Limits.TIMEOUT);
    limiter.start();
    admit(4, Outcome.LOCAL);
    relay.restore(mariadb.port());
    await().until(() -> limiter.isShared());

    admit(6, Outcome.ALLOWED);
    assertThat(decide().outcome()).isEqualTo(Outcome.LIMITED);
  }

  /** A connection that breaks is noticed at once, however long an answer may take. */
  private void start(StorageFailurePolicy onStorageFailure, long limit) throws Exception {
    start(onStorageFailure, limit, Limits.TIMEOUT);
  }

  private void start(StorageFailurePolicy onStorageFailure, long limit, @Nullable Duration timeout)
      throws Exception {
    make(onStorageFailure, limit, timeout);
    Limits.start(limiter);
  }

  private void make(StorageFailurePolicy onStorageFailure, long limit, @Nullable Duration timeout) {
    var configuration =
        RateLimitConfiguration.read(
            Map.of("only", Limits.rule(AppliesTo.LLM, limit, Limits.DAY)),
            onStorageFailure,
            timeout,
            null);
    String url = "jdbc:mysql://127.0.0.1:" + relay.port() + "/limits?sslMode=DISABLED";
    limiter =
        Limits.limiter(
            configuration, new DatabaseAddress(url, mariadb.user(), mariadb.password(), Map.of()));
  }

  private Decision decide() {
    return Limits.decide(limiter, CALLER, RequestKind.LLM);
  }

  private void admit(int requests, Outcome outcome) {
    for (int i = 0; i < requests; i++) {
      assertThat(decide().outcome()).isEqualTo(outcome);
    }
  }

  /** What the shared window holds; without the probe key's. */
  private static long used() throws Exception {
    try (Connection connection = connect();
        ResultSet row =
            connection
                .createStatement()
                .executeQuery(
                    """
                    SELECT SUM(GREATEST(COALESCE(used_0, 0), COALESCE(used_1, 0)))
                    FROM rate_limit_windows WHERE key_id = 1
                    """)) {
      row.next();
      return row.getLong(1);
    }
  }

  private static Connection connect() throws Exception {
    return DriverManager.getConnection(
        mariadb.jdbcUrl("limits") + "&sslMode=DISABLED", mariadb.user(), mariadb.password());
  }
}
