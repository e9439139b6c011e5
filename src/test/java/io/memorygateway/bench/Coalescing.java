package io.memorygateway.bench;

import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.RateLimitRule;
import io.memorygateway.ratelimit.window.StorageFailurePolicy;
import io.memorygateway.ratelimit.window.WindowLimiter;
import io.memorygateway.ratelimit.window.WindowLimiter.Settings;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/** The gateway's own, with the five rules and lifted limits. */
final class Coalescing implements Contender {
  private static final long LIFTED = 1_000_000_000L;

  private final WindowLimiter limiter;

  Coalescing(DatabaseAddress database) throws InterruptedException {
    List<RateLimitRule> rules =
        RateLimitRule.defaults().stream()
            .map(rule -> new RateLimitRule(rule.name(), rule.appliesTo(), LIFTED, rule.window()))
            .toList();
    limiter =
        new WindowLimiter(
            rules,
            new Settings(StorageFailurePolicy.DENY, Duration.ofSeconds(5), true),
            database,
            new PrometheusRegistry(),
            InstantSource.system());
    limiter.start();
  }

  @Override
  public String name() {
    return "this: one transaction for all that wait";
  }

  @Override
  public boolean admit(long key, RequestKind kind) {
    Outcome outcome = limiter.decide(key, kind, Map.of()).outcome();
    if (outcome != Outcome.ALLOWED) {
      throw new IllegalStateException("not decided by the database: " + outcome);
    }
    return true;
  }

  @Override
  public void close() throws InterruptedException {
    limiter.stop();
  }
}
