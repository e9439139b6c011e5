package io.memorygateway.budget.hold;

import io.memorygateway.auth.Caller;
import io.memorygateway.auth.KeyScopes;
import io.memorygateway.budget.BudgetSpan;
import io.memorygateway.budget.BudgetTerms;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.budget.BudgetsConfiguration;
import io.memorygateway.budget.OwnBudgets;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.math.BigDecimal;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Calls under a budget that are told what the models that they name count: one for as many names as
 * a call may have.
 */
public final class BudgetedNames implements Consumer<String> {
  private static final int MODELS = 20;

  private final Budgets budgets =
      new Budgets(
          new BudgetsConfiguration(ZoneOffset.UTC, 500, false, false, List.of()),
          () -> {
            throw new IllegalStateException("what is held ahead asks no database");
          },
          InstantSource.system(),
          System::nanoTime,
          new PrometheusRegistry());

  private final Caller caller =
      new Caller(
          1,
          1,
          "p",
          "p",
          "k",
          Map.of(),
          new OwnBudgets(
              Map.of(
                  "b",
                  new BudgetTerms(
                      BudgetUnit.TOKENS,
                      BigDecimal.valueOf(1_000_000),
                      BudgetSpan.parse("total"),
                      null,
                      null,
                      null,
                      null)),
              Map.of()),
          KeyScopes.ALL);

  private final List<Demand.Offer> offers = new ArrayList<>();

  @Override
  public void accept(String name) {
    offers.add(new Demand.Offer("p/" + name, "p", name, null));
    if (offers.size() == MODELS) {
      call(List.copyOf(offers));
      offers.clear();
    }
  }

  private void call(List<Demand.Offer> offers) {
    budgets.told(offers.get(0).target(), caller, 1000, 2000);
    long input = budgets.mostInput(caller, offers, 1000);
    Demand demand =
        new Demand(
            caller,
            new Demand.Call("r", null, "chat", false),
            null,
            offers,
            1000,
            input,
            input,
            100,
            true,
            1,
            1,
            null);
    if (budgets.holdAhead(demand) != null) {
      throw new IllegalStateException("a call is held of what nothing was put into");
    }
  }
}
