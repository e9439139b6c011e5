package io.memorygateway.usage;

import io.dropwizard.core.setup.Environment;
import io.memorygateway.budget.Settlements.Reached;
import io.memorygateway.database.Cleaner;
import io.memorygateway.operator.AdminTaskServlet;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jdbi.v3.core.Jdbi;

/** Wires the request log and the reports over it. */
public final class UsageModule {
  private static final Duration CLEANING_INTERVAL = Duration.ofMinutes(10);

  private static final Duration PRESUMING_INTERVAL = Duration.ofSeconds(15);

  private UsageModule() {}

  /**
   * What the request log offers to other packages.
   *
   * @param log consumer of proxied calls that have ended
   * @param waits whether calls of a project are not written yet
   */
  public record Installed(Consumer<LoggedCall> log, LongPredicate waits) {}

  /**
   * Starts the request log.
   *
   * @param reached gets what budgets have come to
   */
  public static Installed install(
      UsageConfiguration configuration,
      Jdbi jdbi,
      InstantSource clock,
      Consumer<List<Reached>> reached,
      PrometheusRegistry registry,
      Environment environment) {
    AdminTaskServlet.register(environment, new UsageTask(jdbi, clock));
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
    CallLog log = new CallLog(jdbi, reached, registry);
    environment.lifecycle().manage(log);
    PresumedCalls presumed = new PresumedCalls(jdbi, reached);
    Cleaner.install(environment.lifecycle(), "budget-calls", PRESUMING_INTERVAL, presumed::settle);
    // A budget is settled with the row of a call, so that row is always written.
    return new Installed(
        configuration.requestLog()
            ? log::add
            : call -> {
              if (call.covered() != null) {
                log.add(call);
              }
            },
        log::isWaiting);
  }
}
