package io.memorygateway.budget.hold;

import com.google.common.collect.Lists;
import io.dropwizard.lifecycle.Managed;
import io.memorygateway.budget.Hold;
import io.memorygateway.database.Home;
import io.memorygateway.database.Homes;
import io.memorygateway.database.SqlText;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the holds of this node's calls from running out, and writes down what was seen of the
 * calls.
 */
final class BudgetRenewal implements Managed {
  private static final Logger LOGGER = LoggerFactory.getLogger(BudgetRenewal.class);
  private static final long INTERVAL_MILLIS = HoldBatch.LEASE_MILLIS / 4;
  private static final long PASSING_MILLIS = 500;
  private static final int BATCH = 500;

  private final Budgets budgets;
  private final Jdbi jdbi;
  private final ScheduledExecutorService executor;

  BudgetRenewal(Budgets budgets, Jdbi jdbi, ScheduledExecutorService executor) {
    this.budgets = budgets;
    this.jdbi = jdbi;
    this.executor = executor;
  }

  @Override
  public void start() {
    repeat(this::run, INTERVAL_MILLIS);
    repeat(this::passOn, PASSING_MILLIS);
  }

  private void repeat(Runnable work, long millis) {
    var unused = executor.scheduleWithFixedDelay(work, millis, millis, TimeUnit.MILLISECONDS);
  }

  private void passOn() {
    try {
      budgets.passOn(false);
    } catch (RuntimeException e) {
      LOGGER.warn("What is held ahead could not be passed on; the next run will try again", e);
    }
  }

  private void run() {
    try {
      Homes.each(
          Home.groups(budgets.open(), Hold::callId),
          open -> Lists.partition(open, BATCH).forEach(this::renew));
    } catch (RuntimeException e) {
      LOGGER.warn("Holds of budgets could not be renewed; the next run will try again", e);
    }
  }

  /**
   * Renews holds of one home; those that are settled meanwhile, or were taken for dead, are not
   * there.
   */
  void renew(List<Hold> holds) {
    SqlText sql =
        new SqlText(256 + 60 * holds.size())
            .sql("UPDATE budget_calls SET expires_ms = ")
            .sql(SqlText.NOW_MILLIS)
            .sql(" + ")
            .number(HoldBatch.LEASE_MILLIS)
            .sql(", output_tokens = CASE id");
    holds.forEach(
        hold -> sql.sql(" WHEN ").number(hold.callId()).sql(" THEN ").number(hold.seen().output()));
    sql.sql(" END, cost = CASE WHEN cost IS NULL THEN NULL ELSE CASE id");
    holds.forEach(
        hold -> sql.sql(" WHEN ").number(hold.callId()).sql(" THEN ").number(hold.seen().cost()));
    sql.sql(" END END WHERE id IN (").numbers(holds.stream().map(Hold::callId).toList()).sql(")");
    int unused = jdbi.withHandle(handle -> handle.execute(sql.toString()));
  }
}
