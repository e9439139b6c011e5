package io.memorygateway.ratelimit;

import static org.awaitility.Awaitility.await;

import io.dropwizard.util.Duration;
import io.memorygateway.auth.Caller;
import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.RateLimitConfiguration.Rule;
import io.memorygateway.ratelimit.window.Decision;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import io.memorygateway.ratelimit.window.StorageFailurePolicy;
import io.memorygateway.ratelimit.window.WindowLimiter;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestTimeout;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/** Limiters and callers for tests. */
public final class Limits {
  static final int DAY = 86_400;
  private static final long ROOM_SECONDS = TestTimeout.SECONDS - 10;

  static final Duration TIMEOUT = Duration.seconds(30);

  private Limits() {}

  /**
   * Rules with timeouts that no busy machine exceeds: exactness is promised where the database
   * answers in time.
   */
  static RateLimitConfiguration patient(Map<String, Rule> rules) {
    return RateLimitConfiguration.read(
        new LinkedHashMap<>(rules), StorageFailurePolicy.LOCAL, TIMEOUT, null);
  }

  /** Starts it; returns when it counts in the shared windows, as it would soon by itself. */
  static void start(WindowLimiter limiter) throws InterruptedException {
    limiter.start();
    await().until(limiter::isShared);
  }

  /** For tests whose windows are of a day: such a window must not end within them. */
  public static void awaitRoomInTheDay() {
    await().until(() -> Instant.now().getEpochSecond() % DAY < DAY - ROOM_SECONDS);
  }

  static Rule rule(AppliesTo appliesTo, long limit, int windowSeconds) {
    return new Rule(appliesTo, limit, Duration.seconds(windowSeconds));
  }

  static WindowLimiter limiter(RateLimitConfiguration configuration, DatabaseAddress database) {
    return new WindowLimiter(
        configuration.validRules(),
        configuration.windowSettings(),
        database,
        new PrometheusRegistry(),
        InstantSource.system());
  }

  /** Decides a request of a caller, with the caller's own limits. */
  static Decision decide(WindowLimiter limiter, Caller caller, RequestKind kind) {
    return limiter.decide(caller.keyId(), kind, caller.limits());
  }

  public static DatabaseAddress address(TestDatabase database) {
    return new DatabaseAddress(database.url(), database.user(), database.password(), Map.of());
  }

  static Caller caller(long keyId) {
    return caller(keyId, Map.of());
  }

  static Caller caller(long keyId, Map<String, Long> limits) {
    return new Caller(keyId, 1, "project", "name", "msk_test", limits);
  }
}
