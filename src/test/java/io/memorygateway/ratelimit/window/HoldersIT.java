package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.Limits;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import io.memorygateway.testing.TestDatabase;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two nodes, of which one holds permits of a key ahead and the other finds the window full. */
class HoldersIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final AtomicLong KEYS = new AtomicLong();
  private static final int LIMIT = 400;

  private final long key = KEYS.incrementAndGet();

  @AutoClose("stop")
  private final WindowLimiter one = limiter(Duration.ofSeconds(60));

  @AutoClose("stop")
  private final WindowLimiter other = limiter(Duration.ofSeconds(60));

  @BeforeEach
  void start() throws Exception {
    Limits.awaitRoomInTheDay();
    start(one);
    start(other);
  }

  /** Returns when it counts in the shared windows, as it would soon by itself. */
  private static void start(WindowLimiter limiter) throws Exception {
    limiter.start();
    await().until(limiter::isShared);
  }

  @Test
  void noRequestIsRefusedForWhatTheOtherNodeHolds() throws Exception {
    int admitted = holdSome(one);
    while (other.decide(key, RequestKind.LLM, Map.of()).outcome() == Outcome.ALLOWED) {
      admitted++;
    }
    assertThat(admitted).isEqualTo(LIMIT);
    assertThat(one.heldAhead(key)).containsExactly(0);
    awaitNoHolders();
    assertThat(one.decide(key, RequestKind.LLM, Map.of()).outcome()).isEqualTo(Outcome.LIMITED);
  }

  @Test
  void aNodeThatIsDeadIsNotWaitedForAndTakesWithItWhatItHeld() throws Exception {
    WindowLimiter impatient = limiter(Duration.ofSeconds(2));
    start(impatient);
    int admitted = 0;
    hold(-1, 3);
    while (impatient.decide(key, RequestKind.LLM, Map.of()).outcome() == Outcome.ALLOWED) {
      admitted++;
    }
    assertThat(admitted).isEqualTo(LIMIT);
    awaitNoHolders();
    impatient.stop();
  }

  @Test
  void aNodeThatStopsLeavesNothingBehind() throws Exception {
    int admitted = holdSome(one);
    one.stop();
    assertThat(holders()).isZero();
    assertThat(used()).isEqualTo(admitted);
  }

  /** Requests come until the node holds some ahead; returns how many came. */
  private int holdSome(WindowLimiter node) throws SQLException {
    int requests = 0;
    while (node.heldAhead(key)[0] == 0) {
      assertThat(node.decide(key, RequestKind.LLM, Map.of()).outcome()).isEqualTo(Outcome.ALLOWED);
      requests++;
    }
    assertThat(holders()).isOne();
    return requests;
  }

  private void hold(long node, int slots) throws SQLException {
    try (Connection connection = DATABASE.connect()) {
      connection
          .createStatement()
          .executeUpdate(
              "INSERT INTO rate_limit_holders (key_id, node, slots) VALUES (%d, %d, %d)"
                  .formatted(key, node, slots));
    }
  }

  /** Returns when the rows are gone, which a node deletes after it has told what it decided. */
  private void awaitNoHolders() {
    await().until(this::holders, rows -> rows == 0);
  }

  private long holders() throws SQLException {
    return number("SELECT COUNT(*) FROM rate_limit_holders WHERE key_id = " + key);
  }

  private long used() throws SQLException {
    return number("SELECT used_0 FROM rate_limit_windows WHERE key_id = " + key);
  }

  private static long number(String query) throws SQLException {
    try (Connection connection = DATABASE.connect();
        ResultSet row = connection.createStatement().executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }

  private static WindowLimiter limiter(Duration timeout) {
    return new WindowLimiter(
        List.of(new RateLimitRule("only", AppliesTo.LLM, LIMIT, Duration.ofDays(1))),
        new WindowLimiter.Settings(StorageFailurePolicy.LOCAL, timeout, true),
        Limits.address(DATABASE),
        new PrometheusRegistry(),
        InstantSource.system());
  }
}
