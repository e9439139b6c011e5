package io.memorygateway.budget.hold;

import static java.util.stream.Collectors.toMap;

import com.google.common.collect.Lists;
import io.dropwizard.lifecycle.Managed;
import io.memorygateway.budget.Hold;
import io.memorygateway.database.Home;
import io.memorygateway.database.HomeLanes;
import io.memorygateway.database.SqlText;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import org.jdbi.v3.core.Jdbi;

/**
 * Keeps the holds of this node's calls from running out, and writes down what was seen of the
 * calls.
 */
final class BudgetRenewal implements Managed {
  private static final long INTERVAL_MILLIS = HoldBatch.LEASE_MILLIS / 4;
  private static final long PASSING_MILLIS = 500;
  private static final int BATCH = 500;

  private final Budgets budgets;
  private final Jdbi jdbi;
  private final ScheduledExecutorService executor;
  private final HomeLanes renewals;
  private final HomeLanes passing =
      new HomeLanes("budget-passing", "What is held ahead could not be passed on");

  BudgetRenewal(Budgets budgets, Jdbi jdbi, HomeLanes renewals, ScheduledExecutorService executor) {
    this.budgets = budgets;
    this.jdbi = jdbi;
    this.renewals = renewals;
    this.executor = executor;
  }

  @Override
  public void start() {
    var unused = renewals.repeat(executor, INTERVAL_MILLIS, this::renewAll);
    var unusedToo = passing.repeat(executor, PASSING_MILLIS, this::passOn);
  }

  private CompletableFuture<Void> passOn() {
    return passing.begin(
        budgets.homes(), Home::first, homes -> budgets.passOn(homes.get(0), false));
  }

  CompletableFuture<Void> renewAll() {
    return renewals.begin(
        budgets.open(), Hold::callId, open -> Lists.partition(open, BATCH).forEach(this::renew));
  }

  /**
   * Renews holds of one home; those that are settled meanwhile, or were taken for dead, are not
   * there.
   */
  void renew(List<Hold> holds) {
    Map<Long, Hold.Seen> seen = holds.stream().collect(toMap(Hold::callId, Hold::seen));
    SqlText sql =
        new SqlText(256 + 60 * holds.size())
            .sql("UPDATE budget_calls SET expires_ms = ")
            .sql(SqlText.NOW_MILLIS)
            .sql(" + ")
            .number(HoldBatch.LEASE_MILLIS)
            .sql(", output_tokens = ")
            .cases("id", seen, Hold.Seen::output)
            .sql(", cost = CASE WHEN cost IS NULL THEN NULL ELSE ")
            .cases("id", seen, Hold.Seen::cost)
            .sql(" END WHERE id IN (")
            .numbers(seen.keySet())
            .sql(")");
    int unused = jdbi.withHandle(handle -> handle.execute(sql.toString()));
  }
}
