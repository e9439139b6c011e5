package io.memorygateway.budget.hold;

import static java.util.Objects.requireNonNull;

import io.memorygateway.budget.Ahead;
import io.memorygateway.budget.Budget;
import io.memorygateway.budget.BudgetSpan.Window;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.budget.Charge;
import io.memorygateway.budget.Hold;
import io.memorygateway.budget.Settlements;
import io.memorygateway.database.Home;
import io.memorygateway.database.SqlText;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One transaction that decides for calls that came together. */
final class HoldBatch {
  /** Time without a sign of life after which a call's node counts as dead. */
  static final long LEASE_MILLIS = 60_000;

  /** What is held ahead at a time is at most this part of what is left; twice as much may be. */
  private static final int AHEAD_PART = 256;

  /** Fewer calls than this are not worth it. */
  static final long LEAST_COPIES = 8;

  private final Connection connection;
  private final List<HoldItem> items;
  private final Home home;
  private final ZoneId zone;
  private final boolean clamp;
  private final Map<Long, WindowRow> rows = new TreeMap<>();

  /** What calls in flight that need more hold already, by call and window. */
  private final Map<Long, Map<Long, Share>> running = new HashMap<>();

  private long now;
  private boolean ending;

  /**
   * @param items of projects of one home
   * @param clamp whether the output of a call that does not fit is lowered
   */
  HoldBatch(Connection connection, List<HoldItem> items, ZoneId zone, boolean clamp) {
    this.connection = connection;
    this.items = items;
    this.home = Home.of(items.get(0).demand.caller().projectId());
    this.zone = zone;
    this.clamp = clamp;
  }

  /** The database's time in milliseconds, once the rows are locked. */
  long now() {
    return now;
  }

  /** Whether the end of the transaction was sent, and its outcome is not known if that failed. */
  boolean isEnding() {
    return ending;
  }

  /**
   * Decides in a transaction, and commits it.
   *
   * @param assumed the database's time, about
   * @param locked called when the windows are locked: what is settled from then on is not in them
   * @return false if a window had no row, which it has now, or has turned over meanwhile: all is to
   *     be done again, at {@link #now}
   */
  boolean decide(long assumed, Runnable locked) throws SQLException {
    List<Charge> released =
        items.stream()
            .filter(item -> item.more < 0)
            .map(item -> Charge.none(requireNonNull(item.before)))
            .toList();
    Settlements.end(connection, released);
    if (!lock(assumed)
        || items.stream()
            .flatMap(item -> item.needs.stream())
            .anyMatch(need -> !need.window(assumed, zone).contains(now))) {
      return false;
    }
    locked.run();
    List<HoldItem> granted = new ArrayList<>();
    for (HoldItem item : items) {
      if (item.copies > 0) {
        ahead(item);
      } else if (item.before == null) {
        first(item);
      } else if (!item.movable.isEmpty()) {
        move(item, item.before);
      } else if (item.more >= 0) {
        more(item, item.before);
      }
      if (item.held != null) {
        granted.add(item);
      }
    }
    if (!released.isEmpty()) {
      release(released);
    }
    // In one text with the last statements: a round trip is what calls that come meanwhile wait
    // for.
    SqlText end = HoldRows.changes(granted, rows, now).sql("COMMIT");
    ending = true;
    end.execute(connection);
    return true;
  }

  private void release(List<Charge> nothing) throws SQLException {
    try {
      var unused = Settlements.settleEnded(connection, home, nothing);
    } catch (Settlements.LostException e) {
      throw new IllegalStateException("a charge of nothing cannot be lost", e);
    }
  }

  /**
   * Locks all windows that are touched, and then holds, each in the order of their ids: as every
   * transaction does, so that none waits for another that waits for it.
   */
  private boolean lock(long assumed) throws SQLException {
    TreeMap<Long, HoldItem.Need> needed = new TreeMap<>();
    TreeSet<Long> ids = new TreeSet<>();
    List<Long> growing = new ArrayList<>();
    for (HoldItem item : items) {
      for (HoldItem.Need need : item.needs) {
        needed.put(need.id(need.window(assumed, zone)), need);
      }
      if (item.before != null) {
        item.before.parts().forEach(part -> ids.add(part.windowId()));
        if (item.more >= 0) {
          growing.add(item.callId);
        }
        item.movable.forEach(call -> growing.add(call.hold().callId()));
      }
    }
    ids.addAll(needed.keySet());
    if (ids.isEmpty()) {
      return true;
    }
    SqlText sql =
        Settlements.windows(
            "id, owner_id, settled, held, reserved, max_amount, "
                + SqlText.NOW_MILLIS
                + " AS now_ms",
            ids,
            home);
    if (!growing.isEmpty()) {
      sql.sql("; SELECT call_id, window_id, amount, reserved FROM budget_holds WHERE call_id IN (")
          .numbers(growing)
          .sql(") ORDER BY call_id, window_id FOR UPDATE");
    }
    try (Statement statement = connection.createStatement()) {
      statement.setEscapeProcessing(false);
      boolean unused = statement.execute(sql.toString());
      try (ResultSet result = statement.getResultSet()) {
        while (result.next()) {
          WindowRow row = new WindowRow();
          row.owner = result.getLong("owner_id");
          row.settled = result.getLong("settled");
          row.held = result.getLong("held");
          row.reserved = result.getLong("reserved");
          row.limit = result.getLong("max_amount");
          row.newLimit = row.limit;
          now = result.getLong("now_ms");
          rows.put(result.getLong("id"), row);
        }
      }
      if (statement.getMoreResults()) {
        try (ResultSet result = statement.getResultSet()) {
          while (result.next()) {
            running
                .computeIfAbsent(result.getLong(1), id -> new HashMap<>())
                .put(result.getLong(2), new Share(result.getLong(3), result.getLong(4)));
          }
        }
      }
    }
    needed.keySet().removeAll(rows.keySet());
    if (needed.isEmpty()) {
      return true;
    }
    connection.rollback();
    begin(needed, assumed);
    return false;
  }

  /** Inserts windows, in a transaction of its own: to insert one locks it out of order. */
  private void begin(Map<Long, HoldItem.Need> missing, long assumed) throws SQLException {
    new SqlText(512 + 200 * missing.size())
        .sql("INSERT INTO budget_windows")
        .sql(" (id, owner, owner_id, name, unit, start_ms, end_ms, since_ms, max_amount) VALUES ")
        .list(
            missing.entrySet(),
            (text, each) -> {
              HoldItem.Need need = each.getValue();
              Budget budget = need.budget();
              Window window = need.window(assumed, zone);
              text.sql("(").number(each.getKey().longValue());
              text.sql(",").string(budget.owner().wireName());
              text.sql(",").number(need.ownerId());
              text.sql(",").string(budget.name());
              text.sql(",").string(budget.unit().wireName());
              text.sql(",").number(window.start()).sql(",").number(window.end());
              text.sql(",").sql(SqlText.NOW_MILLIS).sql(",").number(budget.limit()).sql(")");
            })
        .sql(" ON DUPLICATE KEY UPDATE id = VALUES(id)")
        .execute(connection);
    connection.commit();
  }

  private WindowRow row(HoldItem.Need need) {
    WindowRow row = rows.get(need.id(need.window(now, zone)));
    if (row == null) {
      throw new IllegalStateException("the row of a window is missing");
    }
    return row;
  }

  private void first(HoldItem item) {
    Demand demand = item.demand;
    long beyond = demand.beyond();
    HoldItem.Need full =
        item.unpriced == null ? full(item, demand.output(), beyond) : item.unpriced;
    long output = demand.output();
    if (item.unpriced == null && full != null && beyond > 0) {
      // A whole answer cannot be given more later: what it reserves is its limit. Calls beside it
      // would be refused for it.
      beyond = Math.max(0, (largest(item, output + beyond) - output) / 4);
      full = full(item, output, 0);
      item.output = output + beyond;
    }
    if (item.unpriced == null && full != null && clamp) {
      output = largest(item, demand.output());
      full = output >= demand.least() * demand.choices() ? null : full;
      item.output = output;
    }
    stand(item);
    if (full != null) {
      item.refusedBy = item.standings.get(item.needs.indexOf(full));
      return;
    }
    List<Hold.Part> parts = new ArrayList<>();
    item.shares.clear();
    for (HoldItem.Need need : item.needs) {
      WindowRow row = row(need);
      long amount = row.countable(most(item, need, output));
      row.newHeld += amount;
      long reserved = beyond == 0 ? 0 : row.countable(most(item, need, output + beyond) - amount);
      row.newReserved += reserved;
      long id = need.id(need.window(now, zone));
      item.shares.put(id, new Share(amount, reserved));
      parts.add(
          new Hold.Part(
              id, need.budget().unit(), demand.names(need.offers()), !need.budget().shadow()));
    }
    item.held = new Hold(item.callId, Instant.ofEpochMilli(now), parts, demand.seen(0));
    item.heldOutput = output;
  }

  private void stand(HoldItem item) {
    List<HoldItem.Standing> standings = new ArrayList<>();
    for (HoldItem.Need need : item.needs) {
      WindowRow row = row(need);
      row.newLimit = need.budget().limit();
      standings.add(row.standing(need, need.window(now, zone)));
    }
    item.standings = List.copyOf(standings);
  }

  /** Holds what further calls may need, if that is a small part of what is left. */
  private void ahead(HoldItem item) {
    Ahead.Amount one = item.demand.most();
    if (one == null) {
      return;
    }
    // Of a unit that no budget counts, it has to be a number all the same.
    long most = Math.max(1, Math.max(one.tokens(), one.cost()));
    long copies = Math.min(item.copies, Long.MAX_VALUE / AHEAD_PART / most);
    for (HoldItem.Need need : item.needs) {
      long left = row(need).left(need.budget().shadow() ? Long.MAX_VALUE : need.budget().limit());
      copies = Math.min(copies, left / AHEAD_PART / Math.max(1, one.in(need.budget().unit())));
    }
    if (copies < LEAST_COPIES) {
      return;
    }
    stand(item);
    item.amount = one.times(copies);
    List<Hold.Part> parts = new ArrayList<>();
    for (HoldItem.Need need : item.needs) {
      BudgetUnit unit = need.budget().unit();
      long id = need.id(need.window(now, zone));
      row(need).newHeld += item.amount.in(unit);
      item.shares.put(id, new Share(item.amount.in(unit), 0));
      parts.add(new Hold.Part(id, unit, Set.of(), !need.budget().shadow()));
    }
    item.held =
        new Hold(
            item.callId,
            Instant.ofEpochMilli(now),
            parts,
            new Hold.Seen(0, item.amount.tokens(), item.amount.cost()));
  }

  private static long most(HoldItem item, HoldItem.Need need, long output) {
    return item.demand.most(need.budget().unit(), need.offers(), output);
  }

  /** Of the budgets that leave too little the one that ends last; null if the call fits. */
  private HoldItem.@Nullable Need full(HoldItem item, long output, long beyond) {
    return item.needs.stream()
        .filter(need -> !need.budget().shadow())
        .filter(need -> most(item, need, output + beyond) > row(need).left(need.budget().limit()))
        .max(Comparator.comparingLong(need -> need.window(now, zone).end()))
        .orElse(null);
  }

  /** The largest output that fits; 0 if none does. */
  private long largest(HoldItem item, long most) {
    long fits = 0;
    long tooLarge = most + 1;
    while (tooLarge - fits > 1) {
      long middle = fits + (tooLarge - fits) / 2;
      if (full(item, middle, 0) == null) {
        fits = middle;
      } else {
        tooLarge = middle;
      }
    }
    return fits;
  }

  private void more(HoldItem item, Hold hold) {
    Map<Long, Share> had = running.getOrDefault(item.callId, Map.of());
    Map<Long, Long> amounts = new TreeMap<>();
    for (Hold.Part part : hold.parts()) {
      WindowRow row = rows.get(part.windowId());
      if (row == null || !had.containsKey(part.windowId())) {
        return; // another node took this one for dead
      }
      List<Demand.Offer> offers =
          item.demand.offers().stream()
              .filter(offer -> part.targets().isEmpty() || part.targets().contains(offer.target()))
              .toList();
      long amount =
          item.again != null
              ? item.again.in(part)
              : item.demand.most(part.unit(), offers, item.heldOutput + item.more)
                  - item.demand.most(part.unit(), offers, item.heldOutput);
      if (part.isEnforced() && row.left(row.newLimit) < amount) {
        return;
      }
      amounts.put(part.windowId(), row.countable(amount));
    }
    amounts.forEach(
        (id, amount) -> {
          Share share = requireNonNull(had.get(id));
          if (amount > 0) {
            requireNonNull(rows.get(id)).newHeld += amount;
            item.shares.put(id, new Share(share.amount() + amount, share.reserved()));
          }
        });
    item.held = hold;
  }

  /** Calls that have ended are settled with what they took from. */
  private void move(HoldItem item, Hold ahead) {
    Map<Long, Share> had = running.getOrDefault(item.callId, Map.of());
    Ahead.Amount sum = new Ahead.Amount(0, 0);
    for (HoldItem.Call call : item.movable) {
      Ahead.Amount amount = call.hold().taken();
      if (had.isEmpty() || running.containsKey(call.hold().callId())) {
        // Another node took this one for dead, or an earlier commit was of unknown outcome.
        item.own.add(call.hold());
      } else if (amount != null && !call.hold().isEnded()) {
        item.own.add(call.hold());
        item.moved.put(call, amount);
        sum = sum.plus(amount);
      }
    }
    if (item.moved.isEmpty()) {
      return;
    }
    for (Hold.Part part : ahead.parts()) {
      long window = part.windowId();
      Share left = new Share(requireNonNull(had.get(window)).amount() - sum.in(part.unit()), 0);
      had.put(window, left);
      item.shares.put(window, left);
    }
    item.moved.keySet().forEach(call -> running.put(call.hold().callId(), Map.of()));
    item.held = ahead;
  }

  /**
   * Whether this transaction, of unknown outcome, was committed: then all of it was. Waits for its
   * windows first, since it may run on, or have yet to begin with what was sent last. To release
   * again what is released changes nothing.
   *
   * @param another connection; it is outside a transaction afterwards
   */
  boolean isCommitted(Connection another) throws SQLException {
    List<String> written = items.stream().flatMap(HoldBatch::written).toList();
    if (written.isEmpty()) {
      return false;
    }
    Set<Long> ids = new TreeSet<>();
    items.forEach(item -> ids.add(item.callId));
    items.forEach(item -> item.moved.keySet().forEach(call -> ids.add(call.hold().callId())));
    List<Long> found = new ArrayList<>();
    Settlements.windows("id", rows.keySet(), home).query(another, row -> {});
    // By the list alone a home is told, of any number of calls.
    SqlText sql = new SqlText(256).sql("SELECT 1 FROM budget_holds WHERE call_id IN (");
    sql.numbers(ids).sql(") AND ").any(written, SqlText::sql).sql(" LIMIT 1");
    sql.query(another, row -> found.add(row.getLong(1)));
    another.rollback();
    return !found.isEmpty();
  }

  /** What rows a transaction has written for an item, as conditions. */
  private static Stream<String> written(HoldItem item) {
    if (!item.moved.isEmpty()) {
      // What they were taken from may have as much as before, or less by now.
      return item.moved.keySet().stream().map(call -> "call_id = " + call.hold().callId());
    }
    String ofCall = "(call_id = " + item.callId + " AND window_id = ";
    return item.held == null
        ? Stream.empty()
        : item.shares.entrySet().stream()
            .map(
                share ->
                    ofCall + share.getKey() + " AND amount = " + share.getValue().amount() + ")");
  }
}
