package io.memorygateway.console;

import com.codahale.metrics.health.HealthCheck;
import com.codahale.metrics.health.HealthCheckRegistry;
import java.time.Duration;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

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
  private final LongSupplier nanoTime;
  private @Nullable Run last;

  RecentHealth(HealthCheckRegistry checks, LongSupplier nanoTime) {
    this.checks = checks;
    this.nanoTime = nanoTime;
  }

  /** A run of all checks, from its start. */
  private record Run(
      long startNanos, CompletableFuture<SortedMap<String, HealthCheck.Result>> results) {}

  /** The results of the last run, or of a new one if that is too old. */
  SortedMap<String, HealthCheck.Result> results() {
    Run mine = null;
    Run run;
    synchronized (this) {
      long now = nanoTime.getAsLong();
      run = last;
      if (run == null || (run.results.isDone() && now - run.startNanos >= FRESH_NANOS)) {
        mine = new Run(now, new CompletableFuture<>());
        run = mine;
        last = mine;
      }
    }
    if (mine != null) {
      complete(mine);
    }
    return run.results.join();
  }

  private void complete(Run run) {
    try {
      run.results.complete(checks.runHealthChecks());
    } finally {
      boolean broke =
          run.results.completeExceptionally(new IllegalStateException("the checks broke off"));
      if (broke) {
        synchronized (this) {
          last = null;
        }
      }
    }
  }
}
