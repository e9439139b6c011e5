package io.memorygateway.budget.hold;

import io.memorygateway.budget.Budget;
import io.memorygateway.budget.BudgetSpan.Window;
import io.memorygateway.budget.Charge;
import io.memorygateway.budget.Hold;
import io.memorygateway.budget.Settlements;
import io.memorygateway.database.SqlText;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One transaction that decides for calls that came together. */
final class HoldBatch {
  /** Time without a sign of life after which a call's node counts as dead. */
  static final long LEASE_MILLIS = 60_000;

  private final Connection connection;
  private final List<HoldItem> items;
  private final ZoneId zone;
  private final boolean clamp;
  private final Map<Long, Row> rows = new TreeMap<>();
  private long now;

  /** A window as this transaction sees and changes it. */
  private static final class Row {
    private long settled;
    private long held;
    private long reserved;
    private long limit;
    private long newHeld;
    private long newReserved;

    long left(long most) {
      return most - settled - held - newHeld - reserved - newReserved;
    }
  }

  /**
   * Creates a batch.
   *
   * @param clamp whether the output of a call that does not fit is lowered
   */
  HoldBatch(Connection connection, List<HoldItem> items, ZoneId zone, boolean clamp) {
    this.connection = connection;
    this.items = items;
    this.zone = zone;
    this.clamp = clamp;
  }

  /** The database's time in milliseconds, once the rows are locked. */
  long now() {
    return now;
  }

  /**
   * Decides, and leaves the transaction open.
   *
   * @param assumed the database's time, about
   * @return false if a window has turned over meanwhile: all is to be done again, at {@link #now}
   */
  boolean decide(long assumed) throws SQLException {
    lock(assumed);
    for (HoldItem item : items) {
      for (HoldItem.Need need : item.needs) {
        if (!need.window(assumed, zone).contains(now)) {
          return false;
        }
      }
    }
    List<HoldItem> granted = new ArrayList<>();
    List<Charge> released = new ArrayList<>();
    for (HoldItem item : items) {
      if (item.before == null) {
        first(item);
        if (item.held != null) {
          granted.add(item);
        }
      } else if (item.more < 0) {
        released.add(Charge.none(item.before));
      } else {
        more(item, item.before);
      }
    }
    write(granted);
    if (!released.isEmpty()) {
      var unused = Settlements.settle(connection, released);
    }
    return true;
  }

  private void lock(long assumed) throws SQLException {
    TreeMap<Long, HoldItem.Need> needed = new TreeMap<>();
    TreeSet<Long> ids = new TreeSet<>();
    for (HoldItem item : items) {
      for (HoldItem.Need need : item.needs) {
        needed.put(need.id(need.window(assumed, zone)), need);
      }
      if (item.before != null && item.more >= 0) {
        item.before.parts().forEach(part -> ids.add(part.windowId()));
      }
    }
    ids.addAll(needed.keySet());
    if (ids.isEmpty()) {
      return;
    }
    SqlText sql = new SqlText(512 + 200 * ids.size());
    if (!needed.isEmpty()) {
      sql.sql("INSERT INTO budget_windows")
          .sql(" (id, owner, owner_id, name, unit, start_ms, end_ms, since_ms, max_amount) VALUES ")
          .list(
              needed.entrySet(),
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
          .sql(" ON DUPLICATE KEY UPDATE max_amount = VALUES(max_amount);");
    }
    sql.sql("SELECT id, settled, held, reserved, max_amount, ")
        .sql(SqlText.NOW_MILLIS)
        .sql(" AS now FROM budget_windows WHERE id IN (")
        .numbers(ids)
        .sql(") ORDER BY id FOR UPDATE");
    try (Statement statement = connection.createStatement()) {
      statement.setEscapeProcessing(false);
      boolean isRows = statement.execute(sql.toString());
      if (!isRows) {
        statement.getMoreResults();
      }
      try (ResultSet result = statement.getResultSet()) {
        while (result.next()) {
          Row row = new Row();
          row.settled = result.getLong("settled");
          row.held = result.getLong("held");
          row.reserved = result.getLong("reserved");
          row.limit = result.getLong("max_amount");
          now = result.getLong("now");
          rows.put(result.getLong("id"), row);
        }
      }
    }
  }

  private Row row(HoldItem.Need need) {
    Row row = rows.get(need.id(need.window(now, zone)));
    if (row == null) {
      throw new IllegalStateException("the row of a window is missing");
    }
    return row;
  }

  private void first(HoldItem item) {
    Demand demand = item.demand;
    long beyond =
        demand.isLimited() || demand.call().stream()
            ? 0
            : Math.max(0, HoldItem.LONGEST_ANSWER * demand.choices() - demand.output());
    HoldItem.Need full = full(item, demand.output(), beyond);
    long output = demand.output();
    if (full != null && beyond > 0) {
      // A whole answer cannot be given more later: it goes up with what is held as its limit.
      beyond = 0;
      full = full(item, output, 0);
      item.output = output;
    }
    if (full != null && clamp) {
      output = largest(item, demand.output());
      full = output >= demand.least() * demand.choices() ? null : full;
      item.output = output;
    }
    List<HoldItem.Standing> standings = new ArrayList<>();
    for (HoldItem.Need need : item.needs) {
      Row row = row(need);
      standings.add(
          new HoldItem.Standing(need, need.window(now, zone), row.settled, row.held + row.newHeld));
    }
    item.standings = List.copyOf(standings);
    if (full != null) {
      item.refusedBy = standings.get(item.needs.indexOf(full));
      return;
    }
    List<Hold.Part> parts = new ArrayList<>();
    for (HoldItem.Need need : item.needs) {
      Row row = row(need);
      row.newHeld += most(item, need, output);
      row.newReserved += beyond(item, need, output, beyond);
      parts.add(
          new Hold.Part(
              need.id(need.window(now, zone)),
              need.budget().unit(),
              demand.names(need.offers()),
              !need.budget().shadow()));
    }
    item.held =
        new Hold(
            item.callId,
            Instant.ofEpochMilli(now),
            parts,
            new Hold.Seen(demand.input(), 0, demand.costOf(demand.input(), 0)));
    item.heldOutput = output;
    item.reservedOutput = beyond;
  }

  private static long most(HoldItem item, HoldItem.Need need, long output) {
    return item.demand.most(need.budget().unit(), need.offers(), item.demand.input(), output);
  }

  /** What is reserved for so many tokens of output beyond those that are held. */
  private static long beyond(HoldItem item, HoldItem.Need need, long output, long beyond) {
    return beyond == 0 ? 0 : most(item, need, output + beyond) - most(item, need, output);
  }

  /** The first budget that leaves too little; null if the call fits. */
  private HoldItem.@Nullable Need full(HoldItem item, long output, long beyond) {
    for (HoldItem.Need need : item.needs) {
      if (!need.budget().shadow()
          && most(item, need, output + beyond) > row(need).left(need.budget().limit())) {
        return need;
      }
    }
    return null;
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

  private void more(HoldItem item, Hold hold) throws SQLException {
    Map<Hold.Part, Long> amounts = new HashMap<>();
    for (Hold.Part part : hold.parts()) {
      Row row = rows.get(part.windowId());
      List<Demand.Offer> offers =
          item.demand.offers().stream()
              .filter(offer -> part.targets().isEmpty() || part.targets().contains(offer.target()))
              .toList();
      long input = item.demand.input();
      long amount =
          item.demand.most(part.unit(), offers, input, item.heldOutput + item.more)
              - item.demand.most(part.unit(), offers, input, item.heldOutput);
      if (part.isEnforced() && (row == null || row.left(row.limit) < amount)) {
        return;
      }
      amounts.put(part, amount);
    }
    for (Map.Entry<Hold.Part, Long> each : amounts.entrySet()) {
      int changed =
          update(
              new SqlText(128)
                  .sql("UPDATE budget_holds SET amount = amount + ")
                  .number(each.getValue().longValue())
                  .sql(" WHERE call_id = ")
                  .number(hold.callId())
                  .sql(" AND window_id = ")
                  .number(each.getKey().windowId()));
      Row row = rows.get(each.getKey().windowId());
      if (changed == 0 || row == null) {
        return; // another node took this one for dead
      }
      row.newHeld += each.getValue();
    }
    item.held = hold;
  }

  private int update(SqlText sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setEscapeProcessing(false);
      return statement.executeUpdate(sql.toString());
    }
  }

  private void write(List<HoldItem> granted) throws SQLException {
    SqlText sql = new SqlText(512 + 400 * granted.size());
    if (!granted.isEmpty()) {
      sql.sql("INSERT INTO budget_calls (id, started_at, expires_ms, project_id, key_id,")
          .sql(" request_id, thread_hash, endpoint, provider, model, stream, input_tokens,")
          .sql(" output_tokens, cost) VALUES ")
          .list(granted, this::call)
          .sql("; INSERT INTO budget_holds (call_id, window_id, amount, reserved) VALUES ")
          .list(granted, this::holds)
          .sql(";");
    }
    List<Map.Entry<Long, Row>> changed =
        rows.entrySet().stream()
            .filter(row -> row.getValue().newHeld != 0 || row.getValue().newReserved != 0)
            .toList();
    if (!changed.isEmpty()) {
      sql.sql("UPDATE budget_windows SET held = held + CASE id");
      changed.forEach(
          row ->
              sql.sql(" WHEN ")
                  .number(row.getKey().longValue())
                  .sql(" THEN ")
                  .number(row.getValue().newHeld));
      sql.sql(" END, reserved = reserved + CASE id");
      changed.forEach(
          row ->
              sql.sql(" WHEN ")
                  .number(row.getKey().longValue())
                  .sql(" THEN ")
                  .number(row.getValue().newReserved));
      sql.sql(" END WHERE id IN (").numbers(changed.stream().map(Map.Entry::getKey).toList());
      sql.sql(")").execute(connection);
    }
  }

  private void call(SqlText sql, HoldItem item) {
    Demand demand = item.demand;
    Demand.Call call = demand.call();
    Demand.Offer first = demand.offers().get(0);
    sql.sql("(").number(item.callId).sql(",").time(Instant.ofEpochMilli(now));
    sql.sql(",").number(now + LEASE_MILLIS);
    sql.sql(",").number(demand.caller().projectId()).sql(",").number(demand.caller().keyId());
    sql.sql(",").string(call.requestId()).sql(",").hex(call.threadHash());
    sql.sql(",").string(call.endpoint());
    sql.sql(",").string(first.provider()).sql(",").string(first.model());
    sql.sql(call.stream() ? ",TRUE," : ",FALSE,").number(demand.input());
    sql.sql(",0,").number(first.price() == null ? null : demand.costOf(demand.input(), 0)).sql(")");
  }

  private void holds(SqlText sql, HoldItem item) {
    sql.list(
        item.needs,
        (text, need) ->
            text.sql("(")
                .number(item.callId)
                .sql(",")
                .number(need.id(need.window(now, zone)))
                .sql(",")
                .number(most(item, need, item.heldOutput))
                .sql(",")
                .number(beyond(item, need, item.heldOutput, item.reservedOutput))
                .sql(")"));
  }

  /**
   * Whether a transaction of unknown outcome was committed: then all of it was. Waits for one that
   * still runs.
   */
  static boolean isCommitted(Connection connection, List<HoldItem> items) throws SQLException {
    List<Long> granted =
        items.stream()
            .filter(item -> item.held != null && item.before == null)
            .map(item -> item.callId)
            .toList();
    if (granted.isEmpty()) {
      return false;
    }
    String sql =
        new SqlText(128)
            .sql("SELECT id FROM budget_calls WHERE id IN (")
            .numbers(granted)
            .sql(") LIMIT 1 FOR UPDATE")
            .toString();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.next();
    }
  }
}
