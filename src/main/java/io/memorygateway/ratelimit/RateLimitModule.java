package io.memorygateway.ratelimit;

import io.dropwizard.core.setup.Environment;
import io.dropwizard.db.DataSourceFactory;
import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.ratelimit.window.IdleRows;
import io.memorygateway.ratelimit.window.WindowHousekeeping;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.InstantSource;
import org.jdbi.v3.core.Jdbi;

/** Wires rate limits. */
public final class RateLimitModule {
  private RateLimitModule() {}

  /**
   * Limits every request that has a caller; connects when the server starts.
   *
   * @return the headers of responses that Jersey has no part in
   */
  public static RateLimitHeaders install(
      RateLimitConfiguration configuration,
      DataSourceFactory database,
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
                    .scheduledExecutorService("rate-limit-housekeeping-%d")
                    .build()));
    environment.jersey().register(new RateLimitFilter(limiter));
    environment.healthChecks().register("rate-limits", new RateLimitHealthCheck(limiter));
    return new RateLimitHeaders(limiter);
  }

  /** Removes the rows of idle keys, unless another node is doing so; returns how many. */
  public static long removeIdle(Jdbi jdbi) {
    return IdleRows.remove(jdbi);
  }
}
