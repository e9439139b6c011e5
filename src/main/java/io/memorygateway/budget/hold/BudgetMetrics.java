package io.memorygateway.budget.hold;

import io.memorygateway.budget.Budget;
import io.memorygateway.budget.Settlements;
import io.memorygateway.budget.Settlements.Reached;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Metrics of budgets, and the lines of the log that go with them. */
final class BudgetMetrics {
  private static final Logger LOGGER = LoggerFactory.getLogger(BudgetMetrics.class);

  private final Counter decisions;
  private final Counter thresholds;
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  BudgetMetrics(PrometheusRegistry registry, IntSupplier open) {
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
    if (known.add(budget.name())) {
      for (int share : Settlements.THRESHOLDS) {
        // An increase is seen of what was there before it only.
        thresholds.initLabelValues(budget.name(), Integer.toString(share));
      }
    }
    decisions.labelValues(budget.name(), outcome).inc();
  }

  void reached(List<Reached> all) {
    for (Reached each : all) {
      thresholds.labelValues(each.budget(), Integer.toString(each.share())).inc();
      LOGGER.warn(
          "The budget {} of the {} with the number {} has come to {} % of its limit",
          each.budget(), each.owner(), each.ownerId(), each.share());
    }
  }
}
