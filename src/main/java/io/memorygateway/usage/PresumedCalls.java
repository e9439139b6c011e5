package io.memorygateway.usage;

import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.budget.Covered;
import io.memorygateway.budget.Hold;
import io.memorygateway.budget.Settlements.Reached;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.database.Home;
import io.memorygateway.database.Homes;
import io.memorygateway.database.SqlText;
import io.memorygateway.figures.CallFigures;
import io.memorygateway.figures.Counted;
import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;

/**
 * Settles calls that budgets cover and whose node has died, at what was seen of them. If that node
 * was only slow, its own row is not written later: it has the same key.
 */
final class PresumedCalls {
  private static final int BATCH = 100;
  private static final String ERROR = "node_lost";

  /** After an outage of the database, nodes that live have so many runs' time to renew. */
  static final int RUNS_TO_RENEW = 2;

  private final LoggedBatch batches = new LoggedBatch();
  private final Jdbi jdbi;
  private final Consumer<List<Reached>> reached;

  /** Runs of each home that are left to nodes that live. */
  private final Map<Home, Integer> runsToRenew = new HashMap<>();

  private boolean away;

  /** Whether there is one home, which then has all calls. */
  private boolean ofAll;

  /**
   * @param reached gets what budgets have come to, once that is committed
   */
  PresumedCalls(Jdbi jdbi, Consumer<List<Reached>> reached) {
    this.jdbi = jdbi;
    this.reached = reached;
  }

  /** Settles all that there are now; returns how often budgets have come to something by it. */
  long settle() {
    AtomicLong all = new AtomicLong();
    List<Home> homes = homes();
    // Ids that the version before gave carry no home.
    ofAll = homes.size() == 1;
    Homes.each(
        homes,
        home -> {
          try {
            settle(home, all);
          } catch (RuntimeException e) {
            if (DatabaseFailure.of(e) != DatabaseFailure.ROLLED_BACK) {
              runsToRenew.put(home, RUNS_TO_RENEW);
            }
            throw e;
          }
        });
    return all.get();
  }

  private List<Home> homes() {
    try {
      List<Home> homes = Homes.of(jdbi);
      if (away) {
        away = false;
        homes.forEach(home -> runsToRenew.put(home, RUNS_TO_RENEW));
      }
      return homes;
    } catch (RuntimeException e) {
      away |= DatabaseFailure.of(e) != DatabaseFailure.ROLLED_BACK;
      throw e;
    }
  }

  private void settle(Home home, AtomicLong all) {
    int left = runsToRenew.getOrDefault(home, 0);
    if (left > 0) {
      jdbi.useHandle(
          handle ->
              handle
                  .createQuery(
                      "SELECT 1 FROM budget_windows WHERE owner_id BETWEEN :first AND :last LIMIT 1")
                  .bindMethods(home)
                  .mapTo(Integer.class)
                  .list());
      runsToRenew.put(home, left - 1);
      return;
    }
    List<LoggedCall> calls = new ArrayList<>();
    do {
      List<Reached> some = settleSome(home, calls);
      all.addAndGet(some.size());
      reached.accept(some);
    } while (calls.size() == BATCH);
  }

  private List<Reached> settleSome(Home home, List<LoggedCall> calls) {
    try {
      return jdbi.<List<Reached>, SQLException>inTransaction(
          handle -> {
            Connection connection = handle.getConnection();
            calls.clear();
            calls.addAll(expired(connection, home));
            return calls.isEmpty() ? List.of() : batches.write(connection, calls);
          });
    } catch (SQLException e) {
      throw new IllegalStateException("calls of dead nodes cannot be settled", e);
    }
  }

  private List<LoggedCall> expired(Connection connection, Home home) throws SQLException {
    SqlText ids =
        new SqlText(256)
            .sql("SELECT id FROM budget_calls FORCE INDEX (budget_calls_by_expiry)")
            .sql(" WHERE expires_ms < ")
            .sql(SqlText.NOW_MILLIS);
    if (!ofAll) {
      ids.within(home, "id");
    }
    Set<Long> expired = new HashSet<>();
    ids.sql(" ORDER BY expires_ms LIMIT ")
        .number(BATCH)
        .sql(" FOR UPDATE SKIP LOCKED")
        .query(connection, row -> expired.add(row.getLong(1)));
    List<LoggedCall> calls = new ArrayList<>();
    if (expired.isEmpty()) {
      return calls;
    }
    Map<Long, List<Held>> holds = holds(connection, home, expired);
    Calendar utc = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
    new SqlText(256)
        .sql("SELECT * FROM budget_calls WHERE id IN (")
        .numbers(expired)
        .sql(")")
        .query(
            connection,
            row ->
                calls.add(
                    call(
                        row,
                        row.getTimestamp("started_at", utc).toInstant(),
                        holds.getOrDefault(row.getLong("id"), List.of()))));
    return calls;
  }

  /** What a call holds of a window. */
  private record Held(Hold.Part part, long amount) {}

  /**
   * Locks them, since a node that is only slow may settle calls meanwhile; but no windows, which
   * are locked after the log and its totals by everybody.
   */
  private static Map<Long, List<Held>> holds(Connection connection, Home home, Set<Long> calls)
      throws SQLException {
    new SqlText(256)
        .sql("SELECT 1 FROM budget_holds WHERE call_id IN (")
        .numbers(calls)
        .sql(") ORDER BY call_id, window_id FOR UPDATE")
        .execute(connection);
    Map<Long, List<Held>> holds = new HashMap<>();
    new SqlText(256)
        .sql("SELECT h.call_id, h.window_id, w.unit, h.amount FROM budget_holds h")
        .sql(" JOIN budget_windows w ON w.id = h.window_id WHERE h.call_id IN (")
        .numbers(calls)
        .sql(")")
        .within(home, "w.owner_id")
        .query(
            connection,
            row -> {
              Hold.Part part =
                  new Hold.Part(row.getLong(2), BudgetUnit.of(row.getString(3)), Set.of(), true);
              holds
                  .computeIfAbsent(row.getLong(1), id -> new ArrayList<>())
                  .add(new Held(part, row.getLong(4)));
            });
    return holds;
  }

  /** As much as was seen, but no more than is held, of the targets that may cost the most. */
  private static long bounded(long seen, BudgetUnit unit, List<Held> holds) {
    return holds.stream()
        .filter(held -> held.part.unit() == unit)
        .mapToLong(held -> Math.min(seen, held.amount))
        .max()
        .orElse(seen);
  }

  private static LoggedCall call(ResultSet row, Instant startedAt, List<Held> holds)
      throws SQLException {
    long tokens = row.getLong("input_tokens") + row.getLong("output_tokens");
    long input = Math.min(row.getLong("input_tokens"), bounded(tokens, BudgetUnit.TOKENS, holds));
    long output = bounded(tokens, BudgetUnit.TOKENS, holds) - input;
    long known = bounded(row.getLong("cost"), BudgetUnit.USD, holds);
    long cost = row.wasNull() ? Figures.UNKNOWN : known;
    byte[] hash = row.getBytes("thread_hash");
    long id = row.getLong("id");
    Hold hold =
        new Hold(
            id,
            startedAt,
            holds.stream().map(Held::part).toList(),
            new Hold.Seen(input, output, known));
    CallFigures figures =
        new CallFigures(
            row.getString("provider"),
            row.getString("model"),
            503,
            row.getBoolean("stream"),
            Figures.NONE
                .with(Figure.INPUT_TOKENS, input)
                .with(Figure.OUTPUT_TOKENS, output)
                .with(Figure.COST, cost)
                .with(Figure.DURATION_MS, 0),
            Counted.PRESUMED,
            ERROR,
            new CallFigures.Attempt(1, true, 503, 0));
    return new LoggedCall(
        startedAt,
        id,
        row.getLong("project_id"),
        row.getLong("key_id"),
        row.getString("request_id"),
        hash == null ? null : HexFormat.of().formatHex(hash),
        row.getString("endpoint"),
        null,
        null,
        figures,
        new Covered(hold, "", true));
  }
}
