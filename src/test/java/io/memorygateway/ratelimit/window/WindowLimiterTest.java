package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.Decision.Shown;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import io.memorygateway.testing.FakeUpstream;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What callers see of the limits where no database is reachable. */
class WindowLimiterTest {
  private static final long NOW = 1_800_000_000_000L;
  private static final Map<String, Long> NONE = Map.of();

  @Test
  void whereNoRuleAppliesARequestIsAllowedAndNotCounted() throws Exception {
    WindowLimiter none = limiter(List.of(), "jdbc:mysql://127.0.0.1/");
    none.start();
    assertThat(none.decide(7, RequestKind.LLM, NONE)).isEqualTo(Decision.UNCOUNTED);
    assertThat(none.knownRefusal(7, RequestKind.LLM, NONE)).isNull();
    assertThat(none.untouched(RequestKind.LLM).shown()).isNull();
    none.stop();

    WindowLimiter reads = limiter(List.of(rule("r", AppliesTo.MEMORY_READ, 1)), "jdbc:mysql://x/");
    assertThat(reads.decide(7, RequestKind.LLM, NONE)).isEqualTo(Decision.UNCOUNTED);
    assertThat(reads.knownRefusal(7, RequestKind.LLM, NONE)).isNull();
    assertThat(reads.decide(7, RequestKind.MEMORY_READ, NONE).outcome()).isEqualTo(Outcome.LOCAL);
  }

  @Test
  void eachKeyHasItsOwnCountAndItsOwnLimits() {
    WindowLimiter limiter = limiter(List.of(rule("llm", AppliesTo.LLM, 2)), "jdbc:mysql://x/");
    assertThat(limiter.isShared()).isFalse();
    for (long key = 1; key <= 5; key++) {
      assertThat(limiter.decide(key, RequestKind.LLM, NONE).shown().remaining()).isEqualTo(1);
      assertThat(limiter.decide(key, RequestKind.LLM, NONE).outcome()).isEqualTo(Outcome.LOCAL);
      assertThat(limiter.decide(key, RequestKind.LLM, NONE).outcome()).isEqualTo(Outcome.LIMITED);
      assertThat(limiter.decide(key, RequestKind.LLM, Map.of("llm", 3L)).outcome())
          .isEqualTo(Outcome.LOCAL);
    }
  }

  @Test
  void aDecisionThatStillHoldsIsShownAgain() {
    WindowLimiter limiter = limiter(List.of(rule("llm", AppliesTo.LLM, 2)), "jdbc:mysql://x/");
    Decision decision = limiter.decide(1, RequestKind.LLM, NONE);
    assertThat(limiter.current(decision, 1, RequestKind.LLM, NONE)).isSameAs(decision);
    assertThat(limiter.untouched(RequestKind.LLM).shown())
        .isEqualTo(new Shown(2, 2, NOW / 1000 + 60));
  }

  @Test
  void withoutADatabaseItStartsAllTheSameAndItsWorkerEndsWithIt() throws Exception {
    String url = "jdbc:mysql://127.0.0.1:" + FakeUpstream.closedPort() + "/none";
    WindowLimiter limiter = limiter(List.of(rule("llm", AppliesTo.LLM, 2)), url);
    Set<Thread> before = workers();
    limiter.start();
    Set<Thread> own = workers();
    own.removeAll(before);
    assertThat(own).hasSize(1);
    assertThat(limiter.isShared()).isFalse();
    assertThat(limiter.decide(1, RequestKind.LLM, NONE).outcome()).isEqualTo(Outcome.LOCAL);
    limiter.stop();
    await().until(() -> own.stream().noneMatch(Thread::isAlive));
    assertThat(limiter.decide(1, RequestKind.LLM, NONE).outcome()).isEqualTo(Outcome.LOCAL);
  }

  private static Set<Thread> workers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("rate-limits-0"))
        .collect(Collectors.toSet());
  }

  private static RateLimitRule rule(String name, AppliesTo appliesTo, long limit) {
    return new RateLimitRule(name, appliesTo, limit, Duration.ofSeconds(60));
  }

  private static WindowLimiter limiter(List<RateLimitRule> rules, String url) {
    WindowLimiter.Settings settings =
        new WindowLimiter.Settings(StorageFailurePolicy.LOCAL, Duration.ofSeconds(5), true);
    DatabaseAddress database = new DatabaseAddress(url, "nobody", "", Map.of());
    return new WindowLimiter(
        rules, settings, database, new PrometheusRegistry(), () -> Instant.ofEpochMilli(NOW));
  }
}
