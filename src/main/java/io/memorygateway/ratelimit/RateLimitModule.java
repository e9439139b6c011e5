package io.memorygateway.ratelimit;

import io.dropwizard.core.setup.Environment;
import io.dropwizard.db.DataSourceFactory;
import io.memorygateway.database.Cleaner;
import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.ratelimit.window.IdleRows;
import io.memorygateway.ratelimit.window.WindowHousekeeping;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** Wires rate limits. */
public final class RateLimitModule {
  private static final Duration CLEANING_INTERVAL = Duration.ofMinutes(10);

  private RateLimitModule() {}

  /**
   * What rate limits offer to other packages.
   *
   * @param headers for responses outside Jersey
   */
  public record Installed(
      RateLimitHeaders headers, RateLimiter limiter, RateLimitAdmission admission) {}

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
    RateLimiter limiter = new RateLimiter(configuration, address, registry, clock);
    environment.lifecycle().manage(limiter);
    environment
        .lifecycle()
        .manage(
            new WindowHousekeeping(
                limiter.windows(),
                configuration.validRules(),
                address,
                environment
                    .lifecycle()
                    .scheduledExecutorService("rate-limit-housekeeping-%d", true)
                    .build()));
    RefusalLog refusals = new RefusalLog(jdbi, UUID.randomUUID().toString(), clock, registry);
    environment.lifecycle().manage(refusals);
    Cleaner.install(
        environment.lifecycle(),
        "rate-limit-refusals",
        CLEANING_INTERVAL,
        () -> RefusalLog.removeOld(jdbi, clock.instant()));
    RateLimitAdmission admission = new RateLimitAdmission(limiter, refusals);
    environment.jersey().register(new RateLimitFilter(admission));
    environment.healthChecks().register("rate-limits", new RateLimitHealthCheck(limiter));
    return new Installed(new RateLimitHeaders(limiter), limiter, admission);
  }

  /** Removes the rows of idle keys, unless another node is doing so; returns how many. */
  public static long removeIdle(Jdbi jdbi) {
    return IdleRows.remove(jdbi);
  }
}
