package io.memorygateway.bench;

import io.dropwizard.util.Duration;
import io.memorygateway.auth.Caller;
import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.RateLimitConfiguration;
import io.memorygateway.ratelimit.RateLimitConfiguration.Rule;
import io.memorygateway.ratelimit.RateLimiter;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.StorageFailurePolicy;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/** The gateway's own, with the five rules and lifted limits. */
final class Coalescing implements Contender {
  private static final long LIFTED = 1_000_000_000L;

  private final RateLimiter limiter;

  Coalescing(DatabaseAddress database) throws InterruptedException {
    Map<String, Rule> rules = new LinkedHashMap<>(RateLimitConfiguration.defaults().rules());
    rules.replaceAll((name, rule) -> new Rule(rule.appliesTo(), LIFTED, rule.window()));
    RateLimitConfiguration configuration =
        new RateLimitConfiguration(rules, StorageFailurePolicy.DENY, Duration.seconds(5), true);
    limiter =
        new RateLimiter(configuration, database, new PrometheusRegistry(), InstantSource.system());
    limiter.start();
  }

  @Override
  public String name() {
    return "this: one transaction for all that wait";
  }

  @Override
  public boolean admit(long key, RequestKind kind) {
    Caller caller = new Caller(key, 1, "project", "name", "msk_test", Map.of());
    Outcome outcome = limiter.decide(caller, kind).outcome();
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
