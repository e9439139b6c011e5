package io.memorygateway.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import io.memorygateway.ratelimit.window.StorageFailurePolicy;
import io.memorygateway.ratelimit.window.WindowLimiter;
import io.memorygateway.testing.TestDatabase;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A node, its database and a key of which many requests come. */
class CountAheadIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int CALLERS = 64;
  private static final int LIMIT = 1_000_000_000;
  private static final AtomicLong KEYS = new AtomicLong();

  private final long key = KEYS.incrementAndGet();

  private final LongAdder admitted = new LongAdder();
  private final PrometheusRegistry registry = new PrometheusRegistry();

  @BeforeEach
  void awaitRoomInTheDay() {
    Limits.awaitRoomInTheDay();
  }

  @Tag("heavy")
  @Test
  void requestsOfABusyKeyNeedNoTransactionAndAreCountedAllTheSame() throws Exception {
    WindowLimiter limiter = busy();
    await().untilAsserted(() -> assertThat(used()).isEqualTo(admitted.sum()));
    limiter.stop();
  }

  @Test
  void aNodeThatStopsGivesBackWhatItHolds() throws Exception {
    busy().stop();
    assertThat(used()).isEqualTo(admitted.sum());
  }

  @Test
  void switchedOffItAsksTheDatabaseForNoMoreThanWhatHasArrived() throws Exception {
    WindowLimiter limiter = start(false);
    double probes = batches().getSum();
    assertThat(Limits.decide(limiter, Limits.caller(key), RequestKind.LLM).outcome())
        .isEqualTo(Outcome.ALLOWED);
    Crowd crowd = crowd(limiter);
    long end = transactions() + 200;
    await().until(() -> transactions() >= end);
    crowd.disperse();
    assertThat(used()).as("nothing is to be returned").isEqualTo(1 + admitted.sum());
    limiter.stop();
    // The first request of a key inserts its row, and is asked for twice.
    assertThat(batches().getSum() - probes).isEqualTo(2.0 + admitted.sum());
  }

  /** Contract §4, while permits of three kinds are counted ahead and given back. */
  @Test
  void aSingleCallerSeesEachRequestThatItSends() throws Exception {
    WindowLimiter limiter = start(true);
    List<RequestKind> kinds =
        List.of(RequestKind.LLM, RequestKind.MEMORY_READ, RequestKind.MEMORY_WRITE);
    for (int i = 1; i <= 5_000; i++) {
      // Much of one kind, then of another.
      RequestKind kind = kinds.get((i / 200 + i % 7) % 3);
      assertThat(Limits.decide(limiter, Limits.caller(key), kind).shown().remaining())
          .isEqualTo(LIMIT - i);
    }
    limiter.stop();
  }

  /** A node on which many requests of a key have just arrived. */
  private WindowLimiter busy() throws Exception {
    WindowLimiter limiter = start(true);
    Crowd crowd = crowd(limiter);
    // Each caller asks for one at a time.
    await().until(() -> admittedIn(10) > 10 * CALLERS);
    crowd.disperse();
    return limiter;
  }

  /** How many were admitted while so many transactions were made. */
  private long admittedIn(int transactions) {
    long end = transactions() + transactions;
    long before = admitted.sum();
    while (transactions() < end) {
      Thread.onSpinWait();
    }
    return admitted.sum() - before;
  }

  private WindowLimiter start(boolean countAhead) throws Exception {
    RateLimitConfiguration configuration =
        RateLimitConfiguration.read(
            Map.of("only", Limits.rule(AppliesTo.ALL, LIMIT, Limits.DAY)),
            StorageFailurePolicy.LOCAL,
            Limits.TIMEOUT,
            countAhead);
    WindowLimiter limiter =
        new WindowLimiter(
            configuration.validRules(),
            configuration.windowSettings(),
            Limits.address(DATABASE),
            registry,
            InstantSource.system());
    Limits.start(limiter);
    return limiter;
  }

  private Crowd crowd(WindowLimiter limiter) {
    return Crowd.of(
        CALLERS,
        limiter,
        Limits.caller(key),
        decision -> admitted.increment(),
        decision -> {
          throw new AssertionError(decision);
        });
  }

  private long transactions() {
    return batches().getCount();
  }

  private HistogramDataPointSnapshot batches() {
    HistogramSnapshot snapshot =
        (HistogramSnapshot)
            registry.scrape(name -> name.equals("memory_gateway_rate_limit_batch_requests")).get(0);
    return snapshot.getDataPoints().get(0);
  }

  private long used() throws SQLException {
    try (Connection connection = DATABASE.connect();
        ResultSet row =
            connection
                .createStatement()
                .executeQuery("SELECT used_0 FROM rate_limit_windows WHERE key_id = " + key)) {
      row.next();
      return row.getLong(1);
    }
  }
}
