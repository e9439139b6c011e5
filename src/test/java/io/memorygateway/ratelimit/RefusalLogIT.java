package io.memorygateway.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.database.TestJdbi;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision;
import io.memorygateway.ratelimit.window.RateLimitRule;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import io.memorygateway.testing.ManualClock;
import io.memorygateway.testing.TestDatabase;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Refused requests are counted by minute, key and rule; a flood of them costs a row. */
class RefusalLogIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final RateLimitRule RULE =
      new RateLimitRule("burst", AppliesTo.LLM, 5, Duration.ofSeconds(10));
  private static final Decision REFUSED =
      new Decision(Decision.Outcome.LIMITED, new Decision.Shown(5, 0, 1), 1, RULE);

  private final AtomicBoolean down = new AtomicBoolean();
  private final Jdbi jdbi = TestJdbi.of(this::connect);
  private final ManualClock clock = new ManualClock(Instant.parse("2026-03-01T12:00:30Z"));
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final RefusalLog log = new RefusalLog(jdbi, "node-1", clock, registry);

  private Connection connect() throws SQLException {
    if (down.get()) {
      throw new SQLException("down", "08001");
    }
    return DATABASE.connect();
  }

  @BeforeEach
  void empty() {
    jdbi.useHandle(handle -> handle.execute("DELETE FROM rate_limit_refusals"));
  }

  @Test
  void aFloodIsOneRowThatGrows() {
    for (int i = 0; i < 10_000; i++) {
      log.add(7, RequestKind.LLM, REFUSED, "r" + i);
    }
    log.write();
    log.add(7, RequestKind.LLM, REFUSED, "last");
    log.write();
    log.write();
    assertThat(sum()).isEqualTo(10_001);
    assertThat(rows()).isEqualTo(1);
    clock.advance(Duration.ofMinutes(1));
    log.add(7, RequestKind.LLM, REFUSED, "next minute");
    log.write();
    assertThat(rows()).isEqualTo(2);
    assertThat(sum()).isEqualTo(10_002);
  }

  @Test
  void whatIsWrittenAgainCountsOnceAndNodesAddUp() {
    log.add(7, RequestKind.LLM, REFUSED, "a");
    log.write();
    log.add(7, RequestKind.LLM, REFUSED, "b");
    log.write();
    RefusalLog other = new RefusalLog(jdbi, "node-2", clock, new PrometheusRegistry());
    other.add(7, RequestKind.LLM, REFUSED, "c");
    other.write();
    assertThat(rows()).isEqualTo(2);
    assertThat(sum()).isEqualTo(3);
  }

  @Test
  void whileTheDatabaseIsAwayTheyWaitAndWhatIsTooManyIsCounted() {
    down.set(true);
    for (int key = 0; key < 10_010; key++) {
      log.add(key, RequestKind.LLM, REFUSED, "r");
    }
    log.write();
    clock.advance(Duration.ofMinutes(5));
    log.write();
    down.set(false);
    log.write();
    assertThat(sum()).isEqualTo(10_000);
    CounterSnapshot lost =
        (CounterSnapshot)
            registry.scrape("memory_gateway_rate_limit_refusals_dropped"::equals).get(0);
    assertThat(lost.getDataPoints().get(0).getValue()).isEqualTo(10);
  }

  @Test
  void oldRowsAreRemoved() {
    log.add(7, RequestKind.LLM, REFUSED, "a");
    log.write();
    assertThat(RefusalLog.removeOld(jdbi, clock.instant().plus(Duration.ofDays(89)))).isZero();
    assertThat(RefusalLog.removeOld(jdbi, clock.instant().plus(Duration.ofDays(91)))).isEqualTo(1);
  }

  private long rows() {
    return number("COUNT(*)");
  }

  private long sum() {
    return number("COALESCE(SUM(refused), 0)");
  }

  private long number(String what) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT " + what + " FROM rate_limit_refusals")
                .mapTo(Long.class)
                .one());
  }
}
