package io.memorygateway.budget;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import io.memorygateway.database.Home;
import io.memorygateway.database.SqlText;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Settles calls in the transaction that writes their rows of the request log: windows get what the
 * calls did use for what they held. Windows are locked in the order of their ids, as by holds.
 */
public final class Settlements {
  /** Shares of a limit, in percent, that are told when they are reached. */
  public static final ImmutableList<Integer> THRESHOLDS = ImmutableList.of(50, 80, 95, 100);

  private Settlements() {}

  /**
   * A share of a limit that a budget has reached.
   *
   * @param share in percent
   */
  public record Reached(String budget, String owner, long ownerId, int share) {}

  /** What changes in a window. */
  private static final class Change {
    private @Nullable Reached of;
    private long before;
    private long limit;
    private long settled;
    private long held;
    private long reserved;
    private int threshold;

    /** The shares that were not told before and are reached. */
    private List<Reached> reached() {
      List<Reached> reached = new ArrayList<>();
      for (int share : THRESHOLDS) {
        // Limits are far from the greatest number, but not a hundred times as far.
        if (of != null && share > threshold && (double) before + settled >= limit / 100.0 * share) {
          threshold = share;
          reached.add(new Reached(of.budget, of.owner, of.ownerId, share));
        }
      }
      return reached;
    }
  }

  /** What a call holds of a window. */
  private record Held(long callId, long windowId) {}

  private record Amounts(long amount, long reserved) {}

  /** Says that another node has settled what calls took from, since it took this one for dead. */
  public static final class LostException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient Set<Hold> calls;

    private LostException(Set<Hold> calls) {
      super("calls were settled by another node with what was held ahead for them");
      this.calls = calls;
    }

    /** The calls; nothing is to be charged for them. */
    public Set<Hold> calls() {
      return calls;
    }
  }

  /**
   * Settles calls. What a hold no longer has, since another node took this one for dead, is charged
   * all the same: its row of the log was not written by that node.
   *
   * @param home of their projects
   * @return what is to be told once the transaction is committed
   * @throws LostException if calls are not to be settled; the transaction is to be rolled back
   */
  public static List<Reached> settle(Connection connection, Home home, List<Charge> charges)
      throws SQLException, LostException {
    end(connection, charges);
    return settleEnded(connection, home, charges);
  }

  /**
   * Deletes what tells of calls that end, before windows are locked: in that order by everybody.
   */
  public static void end(Connection connection, List<Charge> charges) throws SQLException {
    List<Long> ended = ended(charges);
    if (!ended.isEmpty()) {
      sql("DELETE FROM budget_calls WHERE id IN (").numbers(ended).sql(")").execute(connection);
    }
  }

  private static List<Long> ended(List<Charge> charges) {
    return charges.stream()
        .filter(charge -> charge.of().last() && charge.hold().isMoving())
        .map(charge -> charge.hold().callId())
        .toList();
  }

  /** Settles calls whose {@link #end} was told. */
  public static List<Reached> settleEnded(Connection connection, Home home, List<Charge> charges)
      throws SQLException, LostException {
    Map<Long, Change> changes = new TreeMap<>(); // in the order in which they are locked
    charges.forEach(
        charge ->
            charge.hold().parts().forEach(part -> changes.put(part.windowId(), new Change())));
    List<Long> ended = ended(charges);
    if (changes.isEmpty()) {
      return List.of();
    }
    // From here on, calls of the same windows wait.
    lock(connection, home, changes);
    Map<Held, Amounts> holds = holds(connection, charges);
    checkNoneIsLost(charges, holds);
    Map<Held, Long> less = new HashMap<>();
    for (Charge charge : charges) {
      Hold hold = charge.hold();
      for (Hold.Part part : hold.parts()) {
        Held key = new Held(hold.callId(), part.windowId());
        Change change = requireNonNull(changes.get(part.windowId()));
        long used = charge.in(part);
        change.settled = LongMath.saturatedAdd(change.settled, used);
        Amounts had = holds.get(key);
        long released = 0;
        if (had == null) {
          key = ahead(hold, part);
          released = handedOut(charge, part);
        } else if (charge.of().last()) {
          change.held += had.amount;
          change.reserved += had.reserved;
        } else {
          released = Math.min(had.amount, used);
          holds.put(key, new Amounts(had.amount - released, had.reserved));
        }
        if (released > 0) {
          change.held += released;
          less.merge(key, released, Long::sum);
        }
      }
    }
    List<Reached> reached =
        changes.values().stream().map(Change::reached).flatMap(List::stream).toList();
    apply(connection, changes);
    reduce(connection, less);
    if (!ended.isEmpty()) {
      sql("DELETE FROM budget_holds WHERE call_id IN (")
          .numbers(ended)
          .sql(")")
          .execute(connection);
    }
    return reached;
  }

  private static void checkNoneIsLost(List<Charge> charges, Map<Held, Amounts> holds)
      throws LostException {
    Set<Hold> lost = new HashSet<>();
    for (Charge charge : charges) {
      Hold hold = charge.hold();
      Hold.Part part = hold.parts().get(0);
      if (hold.ahead() != null
          && charge.tokens() + charge.cost() > 0
          && !holds.containsKey(new Held(hold.callId(), part.windowId()))
          && !holds.containsKey(ahead(hold, part))) {
        lost.add(hold);
      }
    }
    if (!lost.isEmpty()) {
      throw new LostException(lost);
    }
  }

  /** What a call took from; the call itself if it took from nothing. */
  private static Held ahead(Hold hold, Hold.Part part) {
    Ahead ahead = hold.ahead();
    return new Held(ahead == null ? hold.callId() : ahead.hold().callId(), part.windowId());
  }

  /** What a call did use of what it took. */
  private static long handedOut(Charge charge, Hold.Part part) {
    Ahead.Amount taken = charge.of().last() ? charge.hold().taken() : null;
    return taken == null ? 0 : Math.min(taken.in(part.unit()), charge.in(part));
  }

  private static Map<Held, Amounts> holds(Connection connection, List<Charge> charges)
      throws SQLException {
    Set<Long> calls = new TreeSet<>();
    for (Charge charge : charges) {
      Hold hold = charge.hold();
      if (hold.isMoving()) {
        calls.add(hold.callId());
      }
      if (hold.ahead() != null) {
        calls.add(hold.ahead().hold().callId());
      }
    }
    Map<Held, Amounts> holds = new HashMap<>();
    sql("SELECT call_id, window_id, amount, reserved FROM budget_holds WHERE call_id IN (")
        .numbers(calls)
        .sql(") ORDER BY call_id, window_id FOR UPDATE")
        .query(
            connection,
            row ->
                holds.put(
                    new Held(row.getLong(1), row.getLong(2)),
                    new Amounts(row.getLong(3), row.getLong(4))));
    return holds;
  }

  /** Takes from holds what was settled of them. */
  private static void reduce(Connection connection, Map<Held, Long> less) throws SQLException {
    if (less.isEmpty()) {
      return;
    }
    sql("INSERT INTO budget_holds (call_id, window_id, amount, reserved) VALUES ")
        .list(
            less.entrySet(),
            (text, each) ->
                text.sql("(")
                    .number(each.getKey().callId)
                    .sql(",")
                    .number(each.getKey().windowId)
                    .sql(",")
                    .number(each.getValue().longValue())
                    .sql(",0)"))
        .sql(" ON DUPLICATE KEY UPDATE amount = amount - VALUES(amount)")
        .execute(connection);
  }

  /**
   * The statement that locks windows, in the order of their ids; holds are locked after them, by
   * everybody.
   */
  public static SqlText windows(String columns, Set<Long> ids, Home home) {
    return new SqlText(512 + 20 * ids.size())
        .sql("SELECT ")
        .sql(columns)
        .sql(" FROM budget_windows WHERE id IN (")
        .numbers(ids)
        .sql(")")
        .within(home, "owner_id")
        .sql(" ORDER BY id FOR UPDATE");
  }

  private static void lock(Connection connection, Home home, Map<Long, Change> changes)
      throws SQLException {
    windows("id, name, owner, owner_id, settled, max_amount, threshold", changes.keySet(), home)
        .query(
            connection,
            row -> {
              Change change = requireNonNull(changes.get(row.getLong("id")));
              change.before = row.getLong("settled");
              change.limit = row.getLong("max_amount");
              change.threshold = row.getInt("threshold");
              change.of =
                  new Reached(
                      row.getString("name"), row.getString("owner"), row.getLong("owner_id"), 0);
            });
  }

  private static void apply(Connection connection, Map<Long, Change> changes) throws SQLException {
    Set<Long> owners =
        changes.values().stream()
            .flatMap(change -> Stream.ofNullable(change.of))
            .map(Reached::ownerId)
            .collect(Collectors.toSet());
    if (owners.isEmpty()) {
      return;
    }
    // All three together are a number: what is more is not counted, and no row is lost for it.
    SqlText sql = sql("UPDATE budget_windows SET settled = LEAST(").sql(SqlText.GREATEST_NUMBER);
    sql.sql(" - held - reserved, CAST(settled AS DECIMAL(20)) + ");
    sql.cases("id", changes, change -> change.settled).sql("), held = held - ");
    sql.cases("id", changes, change -> change.held).sql(", reserved = reserved - ");
    sql.cases("id", changes, change -> change.reserved).sql(", threshold = ");
    sql.cases("id", changes, change -> change.threshold).sql(" WHERE id IN (");
    sql.numbers(changes.keySet()).sql(") AND owner_id IN (").numbers(owners);
    sql.sql(")").execute(connection);
  }

  private static SqlText sql(String begin) {
    return new SqlText(256).sql(begin);
  }
}
