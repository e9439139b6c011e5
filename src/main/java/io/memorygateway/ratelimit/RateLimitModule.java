package io.memorygateway.ratelimit;

import io.dropwizard.core.setup.Environment;
import io.dropwizard.db.DataSourceFactory;
import io.memorygateway.database.Cleaner;
import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.ratelimit.window.IdleRows;
import io.memorygateway.ratelimit.window.RateLimitRule;
import io.memorygateway.ratelimit.window.WindowHousekeeping;
import io.memorygateway.ratelimit.window.WindowLimiter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** Wires rate limits. */
public final class RateLimitModule {
  private static final Duration CLEANING_INTERVAL = Duration.ofMinutes(10);

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
    List<RateLimitRule> rules = configuration.validRules();
    WindowLimiter limiter =
        new WindowLimiter(rules, configuration.windowSettings(), address, registry, clock);
    environment.lifecycle().manage(limiter);
    environment
        .lifecycle()
        .manage(
            new WindowHousekeeping(
                limiter,
                rules,
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
    RateLimitAdmission admission = new RateLimitAdmission(limiter, refusals, registry);
    environment.jersey().register(admission);
    environment.healthChecks().register("rate-limits", new RateLimitHealthCheck(limiter));
    return new Installed(limiter, admission);
  }

  /** Removes the rows of idle keys, unless another node is doing so; returns how many. */
  public static long removeIdle(Jdbi jdbi) {
    return IdleRows.remove(jdbi);
  }
}
