package io.memorygateway.ratelimit;

import com.codahale.metrics.health.HealthCheck;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.db.DataSourceFactory;
import io.memorygateway.database.Cleaner;
import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.ratelimit.window.IdleRows;
import io.memorygateway.ratelimit.window.WindowLimiter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** Wires rate limits. */
public final class RateLimitModule {
  private static final Duration CLEANING_INTERVAL = Duration.ofMinutes(10);
  private static final Duration TIDYING_INTERVAL = Duration.ofHours(1);
  private static final Duration EVICTION_INTERVAL = Duration.ofMinutes(1);

  private RateLimitModule() {}

  /** What rate limits offer to other packages. */
  public record Installed(WindowLimiter limiter, RateLimitAdmission admission) {}

  /**
   * Limits every request that has a caller; connects when the server starts.
   *
   * @param jdbi for the log of refusals
   */
  public static Installed install(
      RateLimitConfiguration configuration,
      DataSourceFactory database,
      Jdbi jdbi,
      PrometheusRegistry registry,
      InstantSource clock,
      Environment environment) {
    DatabaseAddress address = DatabaseAddress.of(database);
    WindowLimiter limiter =
        new WindowLimiter(
            configuration.validRules(),
            configuration.windowSettings(),
            address,
            registry,
            InstantSource.system());
    environment.lifecycle().manage(limiter);
    Cleaner.install(
        environment.lifecycle(), "rate-limit-windows", TIDYING_INTERVAL, () -> limiter.tidy(jdbi));
    Cleaner.install(
        environment.lifecycle(),
        "rate-limit-cache",
        EVICTION_INTERVAL,
        () -> {
          limiter.evictEnded();
          return 0;
        });
    RefusalLog refusals = new RefusalLog(jdbi, UUID.randomUUID().toString(), clock, registry);
    environment.lifecycle().manage(refusals);
    Cleaner.install(
        environment.lifecycle(),
        "rate-limit-refusals",
        CLEANING_INTERVAL,
        () -> RefusalLog.removeOld(jdbi, clock.instant()));
    RateLimitAdmission admission = new RateLimitAdmission(limiter, refusals, registry);
    environment.jersey().register(admission);
    environment.healthChecks().register("rate-limits", health(limiter));
    return new Installed(limiter, admission);
  }

  /** A node that counts alone still serves and is healthy; one that refuses requests is not. */
  private static HealthCheck health(WindowLimiter limiter) {
    return new HealthCheck() {
      @Override
      protected Result check() {
        if (limiter.isShared()) {
          return Result.healthy("shared");
        }
        return switch (limiter.onStorageFailure()) {
          case LOCAL -> Result.healthy("local: the database cannot be reached");
          case DENY -> Result.unhealthy("deny: the database cannot be reached");
        };
      }
    };
  }

  /** Removes the rows of idle keys, unless another node is doing so; returns how many. */
  public static long removeIdle(Jdbi jdbi) {
    return IdleRows.remove(jdbi);
  }
}
