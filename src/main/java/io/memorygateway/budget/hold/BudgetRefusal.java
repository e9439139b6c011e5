package io.memorygateway.budget.hold;

import io.memorygateway.budget.Budget;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.http.errors.ApiError;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Builder of the errors of calls that a budget refuses (contract §15). */
final class BudgetRefusal {
  private BudgetRefusal() {}

  /** The error of a call that a budget leaves too little for. */
  static ApiError of(HoldItem.Standing by, long needed, long now) {
    Budget budget = by.need().budget();
    BudgetUnit unit = budget.unit();
    String what = unit == BudgetUnit.TOKENS ? " tokens" : " dollars";
    Instant reset = by.window().reset();
    String message =
        "The budget '%s' of this %s leaves too little: limit %s%s, used %s, held %s by calls in flight%s; this call may need %s. %s"
            .formatted(
                budget.name(),
                budget.owner().wireName(),
                unit.text(budget.limit()),
                what,
                unit.text(by.settled()),
                unit.text(by.others()),
                by.reserved() == 0
                    ? ""
                    : ", which have %s more reserved for whole answers without a limit"
                        .formatted(unit.text(by.reserved())),
                needed == Long.MAX_VALUE ? "more than can be told" : unit.text(needed),
                reset == null
                    ? "It does not begin anew."
                    : "It begins anew at %s.".formatted(reset));
    return error(budget, message, reset, now);
  }

  /** The error of a call whose price nobody knows. */
  static ApiError unpriced(Budget budget, String target) {
    return error(
        budget,
        "The budget '%s' of this %s counts dollars, and the price of %s is not known."
            .formatted(budget.name(), budget.owner().wireName(), target),
        null, // to wait does not help
        0);
  }

  /** The error of a call whose answer does not say what it costs. */
  static ApiError uncounted(Budget budget, String calls) {
    return error(
        budget,
        "The budget '%s' of this %s cannot count what %s use."
            .formatted(budget.name(), budget.owner().wireName(), calls),
        null, // to wait does not help
        0);
  }

  private static ApiError error(Budget budget, String message, @Nullable Instant reset, long now) {
    String scope = budget.unit() == BudgetUnit.TOKENS ? "tokens" : "cost";
    if (budget.span().isShort() && reset != null) {
      long millis = Math.max(0, reset.toEpochMilli() - now);
      return ApiError.rateLimited(message, scope, Math.max(1, (millis + 999) / 1000));
    }
    return ApiError.spent(message, scope, reset == null ? null : reset.toString());
  }
}
