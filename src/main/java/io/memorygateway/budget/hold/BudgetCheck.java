package io.memorygateway.budget.hold;

import io.memorygateway.budget.Budget;
import io.memorygateway.budget.BudgetOwner;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.budget.OwnBudgets;
import io.memorygateway.database.SqlText;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.proxy.route.Globs;
import java.io.PrintStream;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of what the windows of budgets say with what the calls in flight hold, and with the
 * rows of the request log. Each window is read in one snapshot, so that it may be done while nodes
 * serve.
 */
public final class BudgetCheck {
  private static final int PAGE = 200;
  private static final int TIMEOUT_SECONDS = 10;

  /** Attempts that were passed on have the time of their node, and may begin after their call. */
  private static final Duration EDGE = Duration.ofMinutes(10);

  /** Nodes that do not know a new budget yet have calls that it does not cover. */
  private static final Duration UNKNOWN = Duration.ofSeconds(10);

  private static final String WINDOWS =
      """
      SELECT w.id, w.owner, w.owner_id, w.name, w.unit, w.start_ms, w.end_ms, w.since_ms,
             k.public_id AS key_id, k.budgets AS of_key, p.name AS project, p.budgets AS of_project
      FROM budget_windows w
      LEFT JOIN api_keys k ON w.owner = 'key' AND k.id = w.owner_id
      LEFT JOIN projects p ON p.id = CASE w.owner WHEN 'key' THEN k.project_id ELSE w.owner_id END
      WHERE w.id > :after AND w.end_ms >
      """
          + SqlText.NOW_MILLIS
          + " ORDER BY w.id LIMIT "
          + PAGE;

  private static final String SUMS =
      """
      SELECT w.settled, w.held, w.reserved, COALESCE(SUM(h.amount), 0) AS calls,
             COALESCE(SUM(h.reserved), 0) AS beyond
      FROM budget_windows w LEFT JOIN budget_holds h ON h.window_id = w.id
      WHERE w.id = :id GROUP BY w.id, w.settled, w.held, w.reserved
      """;

  private static final String LOG =
      """
      SELECT provider, model, SUM(amount * (NOT doubtful AND inside)), SUM(amount * doubtful)
      FROM (
        SELECT provider, model, %s AS amount,
               started_at >= :from AS inside,
               (outcome <> 'answered' AND started_at < :edge)
                 OR (started_at >= :from AND started_at < :known) AS doubtful
        FROM request_log
        WHERE %s = :owner AND started_at >= :before
          AND endpoint IN ('chat', 'responses', 'messages', 'completions', 'embeddings')) calls
      GROUP BY provider, model
      """;

  private final Budgets budgets;
  private final List<String> routes;
  private final Duration logged;
  private final PrintStream out;

  /**
   * Creates a check.
   *
   * @param routes names of the configured routes
   * @param logged for how long rows of the request log are kept
   */
  public BudgetCheck(Budgets budgets, List<String> routes, Duration logged, PrintStream out) {
    this.budgets = budgets;
    this.routes = List.copyOf(routes);
    this.logged = logged;
    this.out = out;
  }

  /** A window that has not ended. */
  private record Row(
      long id,
      BudgetOwner owner,
      long ownerId,
      String name,
      BudgetUnit unit,
      long start,
      long since,
      @Nullable String key,
      @Nullable String project,
      OwnBudgets own) {
    static Row of(ResultSet row) throws SQLException {
      return new Row(
          row.getLong("id"),
          row.getString("owner").equals("key") ? BudgetOwner.KEY : BudgetOwner.PROJECT,
          row.getLong("owner_id"),
          row.getString("name"),
          BudgetUnit.of(row.getString("unit")),
          row.getLong("start_ms"),
          row.getLong("since_ms"),
          row.getString("key_id"),
          row.getString("project"),
          OwnBudgets.parse(row.getString("of_key"), row.getString("of_project")));
    }

    /** When the first call may have been counted. */
    long from() {
      return Math.max(start, since);
    }

    String title() {
      return "budget %s of the %s %s, from %s"
          .formatted(
              name,
              owner.wireName(),
              owner == BudgetOwner.KEY ? key : project,
              Instant.ofEpochMilli(from()));
    }
  }

  /** What a window says, and what calls hold of it. */
  private record Sums(long settled, long held, long reserved, long calls, long beyond) {}

  /** What the log has, for certain, and what may or may not be of the window. */
  private record Logged(long sure, long doubtful) {}

  /**
   * Compares, with a line for each window.
   *
   * @throws ApiException if there is a difference
   */
  public void run(Jdbi jdbi) {
    int windows = 0;
    int different = 0;
    long after = Long.MIN_VALUE;
    List<Row> page;
    do {
      long last = after;
      page =
          jdbi.withHandle(
              handle ->
                  handle
                      .createQuery(WINDOWS)
                      .bind("after", last)
                      .setQueryTimeout(TIMEOUT_SECONDS)
                      .map((row, context) -> Row.of(row))
                      .list());
      for (Row row : page) {
        after = row.id();
        windows++;
        boolean agrees =
            jdbi.inTransaction(
                TransactionIsolationLevel.REPEATABLE_READ, handle -> compare(handle, row));
        different += agrees ? 0 : 1;
      }
    } while (page.size() == PAGE);
    out.println("budgets: %d windows, %d with a difference".formatted(windows, different));
    if (different > 0) {
      throw ApiException.conflict("Windows of budgets differ from the calls that they count.");
    }
  }

  private boolean compare(Handle handle, Row row) {
    Sums sums =
        handle
            .createQuery(SUMS)
            .bind("id", row.id())
            .setQueryTimeout(TIMEOUT_SECONDS)
            .mapTo(Sums.class)
            .findOne()
            .orElse(new Sums(0, 0, 0, 0, 0));
    boolean isHeld = sums.held() == sums.calls() && sums.reserved() == sums.beyond();
    String held =
        "held %s, by calls %s"
            .formatted(
                amount(row, sums.held(), sums.reserved()),
                amount(row, sums.calls(), sums.beyond()));
    String why = untold(handle, row);
    Logged logged = why == null ? logged(handle, row) : null;
    if (logged == null) {
      String told = why == null ? "to add up the log takes more than ten seconds" : why;
      print(
          isHeld,
          row,
          held,
          "settled %s, not compared: %s".formatted(row.unit().text(sums.settled()), told));
      return isHeld;
    }
    boolean isSettled =
        logged.sure() <= sums.settled() && sums.settled() <= logged.sure() + logged.doubtful();
    String sum =
        row.unit().text(logged.sure() + logged.doubtful())
            + (logged.doubtful() == 0
                ? ""
                : ", of which %s may be of before".formatted(row.unit().text(logged.doubtful())));
    print(
        isHeld && isSettled,
        row,
        held,
        "settled %s, in the log %s".formatted(row.unit().text(sums.settled()), sum));
    return isHeld && isSettled;
  }

  private static String amount(Row row, long held, long reserved) {
    return row.unit().text(held) + (reserved == 0 ? "" : " and " + row.unit().text(reserved));
  }

  private void print(boolean agrees, Row row, String held, String settled) {
    out.println(
        "%s: %s; %s; %s".formatted(agrees ? "agrees" : "DIFFERS", row.title(), held, settled));
  }

  private @Nullable Budget budget(Row row) {
    return budgets.of(row.own()).stream()
        .filter(budget -> budget.owner() == row.owner() && budget.name().equals(row.name()))
        .findFirst()
        .orElse(null);
  }

  /** Why the log cannot tell what was settled; null if it can. */
  private @Nullable String untold(Handle handle, Row row) {
    Budget budget = budget(row);
    if (budget == null) {
      return "the budget was taken away";
    }
    if (!budget.models().isEmpty() && !routes.isEmpty()) {
      return "the log does not say which calls were made by a route, whose name a pattern may"
          + " match";
    }
    long now = handle.createQuery("SELECT " + SqlText.NOW_MILLIS).mapTo(Long.class).one();
    return row.from() < now - logged.toMillis()
        ? "rows of the log from its beginning are gone"
        : null;
  }

  /** Null if it takes too long. */
  private @Nullable Logged logged(Handle handle, Row row) {
    Budget budget = budget(row);
    Instant from = Instant.ofEpochMilli(row.from());
    String sql =
        LOG.formatted(
            row.unit() == BudgetUnit.TOKENS
                ? "COALESCE(input_tokens, 0) + COALESCE(output_tokens, 0)"
                : "COALESCE(cost, 0)",
            row.owner() == BudgetOwner.KEY ? "key_id" : "project_id");
    try {
      return handle
          .createQuery(sql)
          .bind("owner", row.ownerId())
          .bind("before", from.minus(EDGE))
          .bind("from", from)
          .bind("edge", from.plus(EDGE))
          .bind("known", row.since() > row.start() ? from.plus(UNKNOWN) : from)
          .setQueryTimeout(TIMEOUT_SECONDS)
          .reduceResultSet(
              new Logged(0, 0),
              (sum, found, context) ->
                  budget != null && isOf(budget, found.getString(1), found.getString(2))
                      ? new Logged(sum.sure() + found.getLong(3), sum.doubtful() + found.getLong(4))
                      : sum);
    } catch (JdbiException e) {
      if (e.getCause() instanceof java.sql.SQLTimeoutException) {
        return null;
      }
      throw e;
    }
  }

  private static boolean isOf(Budget budget, String provider, String model) {
    String prefix = provider + "/";
    String target = model.startsWith(prefix) ? model : prefix + model;
    return budget.models().isEmpty()
        || budget.models().stream().anyMatch(glob -> Globs.matches(glob, target));
  }
}
