package io.memorygateway.usage;

import io.dropwizard.core.setup.Environment;
import io.memorygateway.database.Cleaner;
import io.memorygateway.operator.AdminTaskServlet;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;

/** Wires the request log and the reports over it. */
public final class UsageModule {
  private static final Duration CLEANING_INTERVAL = Duration.ofMinutes(10);

  private UsageModule() {}

  /** Starts the request log; returns its consumer of proxied calls that have ended. */
  public static Consumer<LoggedCall> install(
      UsageConfiguration configuration,
      Jdbi jdbi,
      InstantSource clock,
      PrometheusRegistry registry,
      Environment environment) {
    AdminTaskServlet.register(
        environment.admin(), new UsageTask(jdbi, clock), environment.getObjectMapper());
    Duration retention = configuration.retention().toJavaDuration();
    Cleaner.install(
        environment.lifecycle(),
        "request-log",
        CLEANING_INTERVAL,
        () -> OldUsage.removeCalls(jdbi, clock.instant().minus(retention)));
    Duration totalsKept = configuration.totalsRetention().toJavaDuration();
    Cleaner.install(
        environment.lifecycle(),
        "usage-totals",
        CLEANING_INTERVAL,
        () -> OldUsage.removeTotals(jdbi, clock.instant(), totalsKept));
    if (!configuration.requestLog()) {
      return call -> {};
    }
    CallLog log = new CallLog(jdbi, registry);
    environment.lifecycle().manage(log);
    return log::add;
  }
}
