package io.memorygateway.budget.hold;

import io.memorygateway.budget.Budget;
import io.memorygateway.budget.Settlements;
import io.memorygateway.budget.Settlements.Reached;
import io.memorygateway.http.errors.BoundedLabel;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

/** Metrics of budgets, and the lines of the log that go with them. */
final class BudgetMetrics {
  private final Counter decisions;
  private final Counter thresholds;
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  /** Every key may have budgets of its own, by names of its own. */
  private final BoundedLabel names = new BoundedLabel(100);

  /**
   * @param open number of calls that hold something
   * @param rules budgets of the configuration, which have series of their own whatever keys have
   */
  BudgetMetrics(PrometheusRegistry registry, IntSupplier open, List<Budget> rules) {
    rules.forEach(rule -> names.of(rule.name()));
    decisions =
        Counter.builder()
            .name("memory_gateway_budget_decisions_total")
            .help(
                "Decisions of budgets on calls: held, refused, or would_refuse where a budget is in"
                    + " the mode shadow.")
            .labelNames("budget", "outcome")
            .register(registry);
    thresholds =
        Counter.builder()
            .name("memory_gateway_budget_thresholds_total")
            .help("Windows of budgets that came to a share of their limit, once each, in percent.")
            .labelNames("budget", "threshold")
            .register(registry);
    GaugeWithCallback.builder()
        .name("memory_gateway_budget_calls_open")
        .help("Calls of this node that hold a part of a budget and are not settled.")
        .callback(gauge -> gauge.call(open.getAsInt()))
        .register(registry);
  }

  void decided(Budget budget, String outcome) {
    String name = names.of(budget.name());
    if (known.add(name)) {
      for (int share : Settlements.THRESHOLDS) {
        // An increase is seen of what was there before it only.
        thresholds.initLabelValues(name, Integer.toString(share));
      }
    }
    decisions.labelValues(name, outcome).inc();
  }

  void reached(List<Reached> all) {
    for (Reached each : all) {
      thresholds.labelValues(names.of(each.budget()), Integer.toString(each.share())).inc();
    }
  }
}
