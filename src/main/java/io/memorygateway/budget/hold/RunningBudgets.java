package io.memorygateway.budget.hold;

import static java.util.Objects.requireNonNull;

import io.memorygateway.auth.Caller;
import io.memorygateway.budget.Budget;
import io.memorygateway.budget.BudgetOwner;
import io.memorygateway.budget.BudgetSpan.Window;
import io.memorygateway.budget.OwnBudgets;
import io.memorygateway.database.Home;
import io.memorygateway.database.SqlText;
import io.memorygateway.database.Transactions;
import io.memorygateway.json.Timestamps;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** What budgets have come to in the windows that run. */
public record RunningBudgets(Budgets budgets, Transactions transactions) {
  /**
   * Shows the tightest of the budgets that cover a call which needs nothing of them.
   *
   * @param route by its name; null if the call names its only target
   * @param offers of the targets that it might have gone to
   * @param header gets the name and value of each header
   */
  public void show(
      Caller caller,
      @Nullable String route,
      List<Demand.Offer> offers,
      BiConsumer<String, String> header) {
    List<Budget> covering =
        budgets.of(caller.budgets()).stream()
            .filter(budget -> !Demand.covered(budget, route, offers).isEmpty())
            .toList();
    if (covering.isEmpty()) {
      return;
    }
    List<HoldItem.Standing> standings =
        transactions
            .readInOwnAccount(
                caller.projectId(),
                handle -> of(handle, covering, caller.keyId(), caller.projectId()))
            .stream()
            .map(
                each ->
                    new HoldItem.Standing(
                        new HoldItem.Need(each.budget(), 0, List.of()),
                        each.window(),
                        each.used(),
                        each.held(),
                        each.reserved()))
            .toList();
    BudgetHeaders.show(standings, standing -> 0, header);
  }

  /** A budget and what it has come to, in its unit. */
  public record Running(Budget budget, Window window, long used, long held, long reserved) {
    /** What a further call may hold. */
    public long left() {
      return Math.max(0, budget.limit() - used - held - reserved);
    }

    /** When it begins anew, ISO-8601; null: never. */
    public @Nullable String reset() {
      return Timestamps.formatOrNull(window.reset());
    }
  }

  private record Counts(long id, long settled, long held, long reserved) {}

  /**
   * The budgets of a key and its project.
   *
   * @param own of both
   */
  public List<Running> of(Handle handle, OwnBudgets own, long keyId, long projectId) {
    return of(handle, budgets.of(own), keyId, projectId);
  }

  private List<Running> of(Handle handle, List<Budget> all, long keyId, long projectId) {
    if (all.isEmpty()) {
      return List.of();
    }
    long now = handle.createQuery("SELECT " + SqlText.NOW_MILLIS).mapTo(Long.class).one();
    Map<Budget, Window> windows = new LinkedHashMap<>();
    Map<Budget, Long> ids = new LinkedHashMap<>();
    for (Budget budget : all) {
      long owner = budget.owner() == BudgetOwner.KEY ? keyId : projectId;
      HoldItem.Need need = new HoldItem.Need(budget, owner, List.of());
      Window window = need.window(now, budgets.configuration().timeZone());
      windows.put(budget, window);
      ids.put(budget, need.id(window));
    }
    Map<Long, Counts> counts =
        handle
            .createQuery(
                "SELECT id, settled, held, reserved FROM budget_windows WHERE id IN (<ids>) AND owner_id"
                    + " BETWEEN :first AND :last")
            .bindList("ids", List.copyOf(ids.values()))
            .bindMethods(Home.of(projectId))
            .mapTo(Counts.class)
            .collect(Collectors.toMap(Counts::id, found -> found));
    return all.stream()
        .map(
            budget -> {
              Counts count = counts.getOrDefault(ids.get(budget), new Counts(0, 0, 0, 0));
              return new Running(
                  budget,
                  requireNonNull(windows.get(budget)),
                  count.settled(),
                  count.held(),
                  count.reserved());
            })
        .toList();
  }
}
