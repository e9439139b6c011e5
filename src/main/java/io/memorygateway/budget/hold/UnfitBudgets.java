package io.memorygateway.budget.hold;

import io.memorygateway.budget.Budget;
import io.memorygateway.budget.BudgetOwner;
import io.memorygateway.budget.BudgetsConfiguration;
import io.memorygateway.budget.OwnBudgets;
import io.memorygateway.database.SqlText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** What keys and projects say of budgets that does not fit the rules of the configuration. */
public final class UnfitBudgets {
  private static final int MAX_LINES = 20;

  private UnfitBudgets() {}

  /** Lines for the operator, a bounded number of them. */
  public static List<String> lines(BudgetsConfiguration configuration, Jdbi jdbi) {
    List<String> lines = new ArrayList<>();
    jdbi.useHandle(
        handle -> {
          long now = handle.createQuery("SELECT " + SqlText.NOW_MILLIS).mapTo(Long.class).one();
          for (BudgetOwner owner : BudgetOwner.values()) {
            find(handle, configuration, owner, Instant.ofEpochMilli(now), lines);
          }
        });
    int more = lines.size() - MAX_LINES;
    if (more > 0) {
      lines.subList(MAX_LINES, lines.size()).clear();
      lines.add("warning: %d more budgets do not fit the configuration".formatted(more));
    }
    return lines;
  }

  private static void find(
      Handle handle,
      BudgetsConfiguration configuration,
      BudgetOwner owner,
      Instant now,
      List<String> lines) {
    boolean ofKeys = owner == BudgetOwner.KEY;
    handle
        .createQuery(
            ofKeys
                ? "SELECT public_id, budgets FROM api_keys WHERE budgets IS NOT NULL AND revoked_at"
                    + " IS NULL ORDER BY id"
                : "SELECT name, budgets FROM projects WHERE budgets IS NOT NULL ORDER BY id")
        .map((row, context) -> Map.entry(row.getString(1), row.getString(2)))
        .forEach(
            row -> {
              String said = row.getValue();
              OwnBudgets own = OwnBudgets.parse(ofKeys ? said : null, ofKeys ? null : said);
              configuration
                  .terms(owner, own)
                  .forEach(
                      (name, terms) -> {
                        try {
                          Budget unused = terms.named(name, owner, now);
                        } catch (IllegalArgumentException e) {
                          lines.add(
                              "warning: what is said of the budget %s of the %s %s does not fit: %s"
                                  .formatted(name, owner.wireName(), row.getKey(), e.getMessage()));
                        }
                      });
            });
  }
}
