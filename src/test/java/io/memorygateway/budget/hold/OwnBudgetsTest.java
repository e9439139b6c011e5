package io.memorygateway.budget.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.budget.Budget;
import io.memorygateway.budget.BudgetOwner;
import io.memorygateway.budget.BudgetSpan;
import io.memorygateway.budget.BudgetTerms;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.budget.BudgetsConfiguration;
import io.memorygateway.budget.OwnBudgets;
import io.memorygateway.testing.ManualClock;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The budgets in force where an operator has said something and the configuration is another. */
class OwnBudgetsTest {
  private static final Instant NOW = Instant.parse("2026-11-29T09:00:00Z");
  private static final BudgetTerms RULE = terms(BudgetUnit.TOKENS, "10", null);

  /** Such as dollars that were given before the rule came to count tokens. */
  @ParameterizedTest
  @EnumSource
  void whereWhatWasSaidDoesNotFitTheRuleHolds(BudgetOwner owner) {
    Budgets budgets = node(owner);
    BudgetTerms override = terms(null, "0.005", null);
    BudgetTerms increase =
        terms(
            null,
            null,
            List.of(
                new BudgetTerms.Increase(new BigDecimal("0.5"), NOW.plusSeconds(3600).toString())));

    for (BudgetTerms said : List.of(override, increase)) {
      assertThat(budgets.of(own(owner, said))).extracting(Budget::limit).containsExactly(10L);
    }
    assertThat(budgets.of(own(owner, terms(null, "5", null))))
        .extracting(Budget::limit)
        .containsExactly(5L);
  }

  @Test
  void whatLacksARuleIsNoBudget() {
    assertThat(node(BudgetOwner.PROJECT).of(own(BudgetOwner.KEY, terms(null, "5", null))))
        .extracting(Budget::owner)
        .containsExactly(BudgetOwner.PROJECT);
  }

  private static OwnBudgets own(BudgetOwner owner, BudgetTerms said) {
    Map<String, BudgetTerms> named = Map.of("rule", said);
    return owner == BudgetOwner.KEY
        ? new OwnBudgets(named, Map.of())
        : new OwnBudgets(Map.of(), named);
  }

  private static BudgetTerms terms(
      BudgetUnit unit, String limit, List<BudgetTerms.Increase> increases) {
    return new BudgetTerms(
        unit,
        limit == null ? null : new BigDecimal(limit),
        unit == null ? null : BudgetSpan.parse("day"),
        null,
        null,
        null,
        increases);
  }

  private static Budgets node(BudgetOwner owner) {
    return new Budgets(
        new BudgetsConfiguration(
            ZoneOffset.UTC,
            500,
            false,
            false,
            List.of(new BudgetsConfiguration.Rule("rule", owner, RULE))),
        () -> {
          throw new SQLException("no database is needed");
        },
        new ManualClock(NOW),
        () -> 0,
        new PrometheusRegistry());
  }
}
