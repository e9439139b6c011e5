package io.memorygateway.budget.hold;

import io.memorygateway.auth.Caller;
import io.memorygateway.budget.Budget;
import io.memorygateway.http.errors.ApiException;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Refuses calls of which nobody can tell what they will use, unless the budgets that cover them
 * allow that (contract §15).
 */
public record UncountedCalls(Budgets budgets) {
  /**
   * Refuses a call of a model or a route.
   *
   * @param name of a route, or {@code provider/model}
   * @param calls what calls they are, for the message
   * @throws ApiException 402
   */
  public void check(Caller caller, String name, String calls) {
    check(caller, budget -> Demand.matches(budget, name), calls);
  }

  /** The same where only the provider can tell which of its models are to work. */
  public void checkAny(Caller caller, String provider, String calls) {
    check(caller, budget -> Demand.matchesAny(budget, provider), calls);
  }

  /**
   * Refuses a call that is counted by the models that it is known to name, where other models that
   * only the provider can read may be those of a budget.
   *
   * @param route by its name; null if the call names its only target
   * @throws ApiException 402
   */
  public void checkOthers(Caller caller, @Nullable String route, List<Demand.Offer> offers) {
    check(
        caller,
        budget -> {
          List<Demand.Offer> covered = Demand.covered(budget, route, offers);
          return offers.stream()
              .filter(offer -> !covered.contains(offer))
              .anyMatch(offer -> Demand.matchesAny(budget, offer.provider()));
        },
        "calls that may name other models");
  }

  private void check(Caller caller, Predicate<Budget> covers, String calls) {
    for (Budget budget : budgets.of(caller.budgets())) {
      if (!budget.allowsUnpriced() && covers.test(budget)) {
        budgets.decided(budget, budget.shadow() ? "would_refuse" : "refused");
        if (!budget.shadow()) {
          throw new ApiException(BudgetRefusal.uncounted(budget, calls));
        }
      }
    }
  }
}
