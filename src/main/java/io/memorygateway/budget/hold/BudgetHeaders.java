package io.memorygateway.budget.hold;

import io.memorygateway.budget.Budget;
import io.memorygateway.http.api.ResponseHeader;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Headers that show the tightest budget of a call: that of which the least part is left, among
 * those that can refuse it.
 */
final class BudgetHeaders {
  private BudgetHeaders() {}

  /**
   * Shows a budget.
   *
   * @param own what the call itself counts
   */
  static void show(
      List<HoldItem.Standing> standings,
      ToLongFunction<HoldItem.Standing> own,
      BiConsumer<String, String> header) {
    HoldItem.@Nullable Standing tightest = null;
    double least = Double.POSITIVE_INFINITY;
    for (HoldItem.Standing each : standings) {
      double part = (double) left(each, own) / Math.max(1, each.need().budget().limit());
      boolean shadow = each.need().budget().shadow();
      boolean before = tightest != null && tightest.need().budget().shadow();
      if (tightest == null || (shadow == before ? part < least : before)) {
        least = part;
        tightest = each;
      }
    }
    if (tightest == null) {
      return;
    }
    Budget budget = tightest.need().budget();
    header.accept(
        ResponseHeader.BUDGET_REMAINING.headerName(), budget.unit().text(left(tightest, own)));
    if (tightest.window().reset() != null) {
      header.accept(
          ResponseHeader.BUDGET_RESET.headerName(), Long.toString(tightest.window().end() / 1000));
    }
  }

  private static long left(HoldItem.Standing each, ToLongFunction<HoldItem.Standing> own) {
    return Math.max(0, Math.max(0, each.left()) - own.applyAsLong(each));
  }
}
