package io.memorygateway.ratelimit;

import io.dropwizard.lifecycle.Managed;
import io.memorygateway.auth.Caller;
import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision;
import io.memorygateway.ratelimit.window.StorageFailurePolicy;
import io.memorygateway.ratelimit.window.WindowLimiter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Rate limiter: decides whether a caller's request is within its limits, exactly across all nodes
 * (contract §4). Thread-safe, for platform and virtual threads.
 */
public final class RateLimiter implements Managed {
  private final WindowLimiter windows;
  private final StorageFailurePolicy onStorageFailure;
  private final RateLimitMetrics metrics;

  public RateLimiter(
      RateLimitConfiguration configuration,
      DatabaseAddress database,
      PrometheusRegistry registry,
      InstantSource wall) {
    this.windows =
        new WindowLimiter(
            configuration.validRules(), configuration.windowSettings(), database, registry, wall);
    this.onStorageFailure = configuration.onStorageFailure();
    this.metrics = new RateLimitMetrics(registry);
  }

  /** Decides one request and counts it if it is allowed. */
  public Decision decide(Caller caller, RequestKind kind) {
    Decision decision = windows.decide(caller.keyId(), kind, caller.limits());
    metrics.decided(kind, decision.outcome());
    return decision;
  }

  /** The refusal of a request that is over its limit as far as this node knows; else null. */
  @Nullable Decision knownRefusal(Caller caller, RequestKind kind) {
    Decision refusal = windows.knownRefusal(caller.keyId(), kind, caller.limits());
    if (refusal != null) {
      metrics.decided(kind, refusal.outcome());
    }
    return refusal;
  }

  /** What to show of a decision at the end of its request, which may have taken long. */
  Decision current(Decision earlier, Caller caller, RequestKind kind) {
    return windows.current(earlier, caller.keyId(), kind, caller.limits());
  }

  /** The decision to show without a valid key: the scope's tightest rule, with nothing counted. */
  public Decision untouched(RequestKind kind) {
    return windows.untouched(kind);
  }

  /** Whether all nodes count together; else {@link #onStorageFailure} applies. */
  public boolean isShared() {
    return windows.isShared();
  }

  public StorageFailurePolicy onStorageFailure() {
    return onStorageFailure;
  }

  /** Requests of a key that this node has counted and that have not come, by rule. */
  public long[] heldAhead(long keyId) {
    return windows.heldAhead(keyId);
  }

  /** The shared windows, for their housekeeping. */
  WindowLimiter windows() {
    return windows;
  }

  /** Connects and warms up; returns without a connection if the database cannot be reached. */
  @Override
  public void start() throws InterruptedException {
    windows.start();
  }

  @Override
  public void stop() throws InterruptedException {
    windows.stop();
  }
}
