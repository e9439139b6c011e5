package io.memorygateway.console;

import com.codahale.metrics.health.HealthCheck;
import com.codahale.metrics.health.HealthCheckRegistry;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import java.time.Duration;
import java.util.SortedMap;
import java.util.function.LongSupplier;

/**
 * Cached results of the health checks, some seconds old at most: however many pages are open and
 * refresh, together they cost one run of the checks.
 */
final class RecentHealth {
  /**
   * Greatest age; equal to the refresh interval of an open overview, so that ten of them run the
   * checks no more often than one.
   */
  static final long FRESH_NANOS = Duration.ofSeconds(15).toNanos();

  private final HealthCheckRegistry checks;
  private final LoadingCache<HealthCheckRegistry, SortedMap<String, HealthCheck.Result>> results;

  RecentHealth(HealthCheckRegistry checks, LongSupplier nanoTime) {
    this.checks = checks;
    this.results =
        Caffeine.newBuilder()
            .expireAfterWrite(Duration.ofNanos(FRESH_NANOS))
            .ticker(nanoTime::getAsLong)
            .build(HealthCheckRegistry::runHealthChecks);
  }

  /** The results of the last run, or of a new one if that is too old; who comes meanwhile waits. */
  SortedMap<String, HealthCheck.Result> results() {
    return results.get(checks);
  }
}
