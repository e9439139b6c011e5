package io.memorygateway.budget.hold;

import io.memorygateway.budget.Settlements.Reached;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs budgets that have reached a share of their limit, with the name of their owner. */
public final class ReachedBudgets {
  private static final Logger LOGGER = LoggerFactory.getLogger(ReachedBudgets.class);

  private static final String KEY =
      """
      SELECT CONCAT(k.public_id, ' (', k.name, ' of ', p.name, ')')
      FROM api_keys k JOIN projects p ON p.id = k.project_id WHERE k.id = :id
      """;

  private static final String PROJECT = "SELECT name FROM projects WHERE id = :id";

  private final Budgets budgets;
  private final Jdbi jdbi;

  public ReachedBudgets(Budgets budgets, Jdbi jdbi) {
    this.budgets = budgets;
    this.jdbi = jdbi;
  }

  /** Counts and logs what was reached by a transaction that is committed. */
  public void add(List<Reached> all) {
    budgets.reached(all);
    for (Reached each : all) {
      LOGGER.warn(
          "The budget {} of the {} {} has come to {} % of its limit",
          each.budget(), each.owner(), name(each), each.share());
    }
  }

  private String name(Reached each) {
    try {
      return jdbi.withHandle(
          handle ->
              handle
                  .createQuery(each.owner().equals("key") ? KEY : PROJECT)
                  .bind("id", each.ownerId())
                  .mapTo(String.class)
                  .findOne()
                  .orElse("that is gone"));
    } catch (JdbiException e) {
      return "with the number " + each.ownerId();
    }
  }
}
