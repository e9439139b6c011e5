package io.memorygateway.budget.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.budget.Budget;
import io.memorygateway.budget.BudgetOwner;
import io.memorygateway.budget.BudgetSpan;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.budget.Settlements.Reached;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.List;
import org.junit.jupiter.api.Test;

class BudgetMetricsTest {
  @Test
  void namesOfBudgetsOfManyKeysAreABoundedNumberOfSeries() {
    PrometheusRegistry registry = new PrometheusRegistry();
    BudgetMetrics metrics = new BudgetMetrics(registry, () -> 0, List.of(budget("rule")));

    for (int i = 0; i < 1_000; i++) {
      metrics.decided(budget("of-key-" + i), "held");
    }
    for (int i = 0; i < 1_000; i++) {
      metrics.reached(List.of(new Reached("late-" + i, "key", i, 50)));
    }
    metrics.decided(budget("rule"), "held");

    assertThat(series(registry, "memory_gateway_budget_decisions")).isEqualTo(101);
    assertThat(series(registry, "memory_gateway_budget_thresholds")).isEqualTo(101 * 4);
  }

  private static Budget budget(String name) {
    return new Budget(
        name,
        BudgetUnit.TOKENS,
        1,
        BudgetSpan.parse("day"),
        BudgetOwner.KEY,
        List.of(),
        false,
        false);
  }

  private static int series(PrometheusRegistry registry, String name) {
    return registry.scrape(name::equals).stream()
        .map(MetricSnapshot::getDataPoints)
        .mapToInt(List::size)
        .sum();
  }
}
