package io.memorygateway.budget.hold;

import io.dropwizard.lifecycle.setup.LifecycleEnvironment;
import io.memorygateway.budget.Settlements.Reached;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs budgets that have reached a share of their limit, with the name of their owner, which is
 * looked up apart from the log of calls: names are in another place of the database than its rows.
 */
public final class ReachedBudgets {
  private static final Logger LOGGER = LoggerFactory.getLogger(ReachedBudgets.class);

  /** Transactions whose owners wait to be looked up; those of further ones are logged by number. */
  private static final int MAX_WAITING = 256;

  private static final String KEY =
      """
      SELECT CONCAT(k.public_id, ' (', k.name, ' of ', p.name, ')')
      FROM api_keys k JOIN projects p ON p.id = k.project_id WHERE k.id = :id
      """;

  private static final String PROJECT = "SELECT name FROM projects WHERE id = :id";

  private final Budgets budgets;
  private final Jdbi jdbi;
  private final Executor lookUps;

  /**
   * @param lookUps looks names up; may reject that
   */
  ReachedBudgets(Budgets budgets, Jdbi jdbi, Executor lookUps) {
    this.budgets = budgets;
    this.jdbi = jdbi;
    this.lookUps = lookUps;
  }

  /** Creates one with a thread of its own, which is there while it has work. */
  public static ReachedBudgets install(Budgets budgets, Jdbi jdbi, LifecycleEnvironment lifecycle) {
    return new ReachedBudgets(
        budgets,
        jdbi,
        lifecycle
            .executorService("reached-budgets")
            .minThreads(0)
            .maxThreads(1)
            .workQueue(new ArrayBlockingQueue<>(MAX_WAITING))
            .build());
  }

  /** Counts and logs what was reached by a transaction that is committed; does not block. */
  public void add(List<Reached> all) {
    if (all.isEmpty()) {
      return;
    }
    budgets.reached(all);
    try {
      lookUps.execute(() -> all.forEach(each -> log(each, name(each))));
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      all.forEach(each -> log(each, number(each)));
    }
  }

  private static void log(Reached each, String name) {
    LOGGER.warn(
        "The budget {} of the {} {} has come to {} % of its limit",
        each.budget(), each.owner(), name, each.share());
  }

  private static String number(Reached each) {
    return "with the number " + each.ownerId();
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
      return number(each);
    }
  }
}
