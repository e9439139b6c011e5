package io.memorygateway.budget.hold;

import io.memorygateway.budget.Budget;
import io.memorygateway.budget.BudgetOwner;
import io.memorygateway.budget.BudgetsConfiguration;
import io.memorygateway.budget.OwnBudgets;
import io.memorygateway.database.SqlText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** What keys and projects say of budgets that does not fit the rules of the configuration. */
public final class UnfitBudgets {
  private static final int MAX_LINES = 20;

  /** Rows of a statement, each of which may have as much text as a column takes. */
  static final int PAGE = 200;

  private static final String KEYS =
      """
      SELECT id, public_id AS name, budgets FROM api_keys
      WHERE id > :after AND budgets IS NOT NULL AND revoked_at IS NULL ORDER BY id LIMIT
      """
          + PAGE;

  private static final String PROJECTS =
      """
      SELECT id, name, budgets FROM projects
      WHERE id > :after AND budgets IS NOT NULL ORDER BY id LIMIT
      """
          + PAGE;

  private final BudgetsConfiguration configuration;
  private final Instant now;
  private final List<String> lines = new ArrayList<>();
  private int more;

  private UnfitBudgets(BudgetsConfiguration configuration, Instant now) {
    this.configuration = configuration;
    this.now = now;
  }

  /** What a key or project says. */
  private record Said(long id, String name, String budgets) {}

  /** Lines for the operator, a bounded number of them. */
  public static List<String> lines(BudgetsConfiguration configuration, Jdbi jdbi) {
    return jdbi.withHandle(
        handle -> {
          long now = handle.createQuery("SELECT " + SqlText.NOW_MILLIS).mapTo(Long.class).one();
          UnfitBudgets found = new UnfitBudgets(configuration, Instant.ofEpochMilli(now));
          found.find(handle, BudgetOwner.KEY, KEYS);
          found.find(handle, BudgetOwner.PROJECT, PROJECTS);
          if (found.more > 0) {
            found.lines.add(
                "warning: %d more budgets do not fit the configuration".formatted(found.more));
          }
          return found.lines;
        });
  }

  private void find(Handle handle, BudgetOwner owner, String sql) {
    long after = 0;
    List<Said> page;
    do {
      page = handle.createQuery(sql).bind("after", after).mapTo(Said.class).list();
      for (Said said : page) {
        after = said.id;
        look(owner, said);
      }
    } while (page.size() == PAGE);
  }

  private void look(BudgetOwner owner, Said said) {
    boolean ofKey = owner == BudgetOwner.KEY;
    OwnBudgets own = OwnBudgets.parse(ofKey ? said.budgets : null, ofKey ? null : said.budgets);
    configuration
        .terms(owner, own)
        .forEach(
            (name, terms) -> {
              try {
                Budget unused = terms.named(name, owner, now);
              } catch (IllegalArgumentException e) {
                add(
                    "warning: what is said of the budget %s of the %s %s does not fit: %s"
                        .formatted(name, owner.wireName(), said.name, e.getMessage()));
              }
            });
  }

  private void add(String line) {
    if (lines.size() < MAX_LINES) {
      lines.add(line);
    } else {
      more++;
    }
  }
}
