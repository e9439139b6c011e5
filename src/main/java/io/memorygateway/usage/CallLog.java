package io.memorygateway.usage;

import io.dropwizard.lifecycle.Managed;
import io.memorygateway.budget.Settlements.Reached;
import io.memorygateway.database.Home;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;

/**
 * Background writer of {@code request_log}, in batches, and of the totals over it ({@link RollUp}).
 * A call only puts its row into a bounded queue, one for each home. While the database is away rows
 * wait there; those that do not fit are dropped and counted, but for those of calls that budgets
 * cover: there are no more than were held while it was there.
 */
public final class CallLog implements Managed {
  private final Map<Home, HomeLog> homes = new ConcurrentHashMap<>();
  private final Jdbi jdbi;
  private final Consumer<List<Reached>> reached;
  private final Counters counters;
  private volatile boolean started;

  /** Calls that were written or not. */
  record Counters(Counter written, Counter dropped, Counter refused) {
    static Counters of(PrometheusRegistry registry) {
      return new Counters(
          Counter.builder()
              .name("memory_gateway_request_log_rows_total")
              .help("Proxied calls written into the request log.")
              .register(registry),
          Counter.builder()
              .name("memory_gateway_request_log_dropped_total")
              .help("Proxied calls that are missing in the request log: it could not be written.")
              .register(registry),
          Counter.builder()
              .name("memory_gateway_request_log_refused_total")
              .help("Those of the missing calls whose rows the database refused; the log says why.")
              .register(registry));
    }
  }

  /**
   * @param reached gets what budgets have come to, once that is committed
   */
  CallLog(Jdbi jdbi, Consumer<List<Reached>> reached, PrometheusRegistry registry) {
    this.jdbi = jdbi;
    this.reached = reached;
    counters = Counters.of(registry);
    GaugeWithCallback.builder()
        .name("memory_gateway_request_log_waiting")
        .help("Proxied calls that wait to be written into the request log.")
        .callback(gauge -> gauge.call(homes.values().stream().mapToInt(HomeLog::waiting).sum()))
        .register(registry);
  }

  /** Queues a row; does not block. */
  public void add(LoggedCall call) {
    homes.computeIfAbsent(Home.of(call.projectId()), this::open).add(call);
  }

  /** Whether calls of a project wait to be written. */
  public boolean isWaiting(long projectId) {
    HomeLog log = homes.get(Home.of(projectId));
    return log != null && log.isWaiting(projectId);
  }

  private HomeLog open(Home home) {
    HomeLog log = new HomeLog(home, jdbi, reached, counters);
    if (started) {
      log.start();
    }
    return log;
  }

  @Override
  public void start() {
    started = true;
    homes.values().forEach(HomeLog::start);
  }

  @Override
  public void stop() throws InterruptedException {
    homes.values().forEach(HomeLog::end);
    for (HomeLog log : homes.values()) {
      log.stop();
    }
  }
}
