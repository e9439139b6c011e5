package io.memorygateway.budget.hold;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.Maps;
import io.memorygateway.budget.Hold;
import io.memorygateway.database.SqlText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The rows that a transaction of holds writes. */
final class HoldRows {
  private HoldRows() {}

  private record Part(long callId, long windowId, Share share) {}

  /**
   * The statements of all changes.
   *
   * @param now the database's time
   */
  static SqlText changes(List<HoldItem> granted, Map<Long, WindowRow> windows, long now) {
    List<HoldItem.Call> calls = new ArrayList<>();
    List<Part> parts = new ArrayList<>();
    for (HoldItem item : granted) {
      if (item.before == null) {
        calls.add(new HoldItem.Call(item.demand, requireNonNull(item.held)));
      }
      item.shares.forEach((window, share) -> parts.add(new Part(item.callId, window, share)));
      item.moved.forEach(
          (call, amount) -> {
            calls.add(call);
            for (Hold.Part part : call.hold().parts()) {
              Share own = new Share(amount.in(part.unit()), 0);
              parts.add(new Part(call.hold().callId(), part.windowId(), own));
            }
          });
    }
    SqlText sql = new SqlText(512 + 400 * calls.size() + 80 * parts.size());
    if (!calls.isEmpty()) {
      sql.sql("INSERT INTO budget_calls (id, started_at, expires_ms, project_id, key_id,")
          .sql(" request_id, thread_hash, endpoint, provider, model, stream, input_tokens,")
          .sql(" output_tokens, cost) VALUES ")
          .list(calls, (text, call) -> append(text, call, now))
          .sql("; ");
    }
    if (!parts.isEmpty()) {
      sql.sql("INSERT INTO budget_holds (call_id, window_id, amount, reserved) VALUES ")
          .list(parts, HoldRows::append)
          .sql(" ON DUPLICATE KEY UPDATE amount = VALUES(amount); ");
    }
    Map<Long, WindowRow> changed = Maps.filterValues(windows, WindowRow::isChanged);
    if (!changed.isEmpty()) {
      sql.sql("UPDATE budget_windows SET held = held + ");
      sql.cases("id", changed, row -> row.newHeld).sql(", reserved = reserved + ");
      sql.cases("id", changed, row -> row.newReserved).sql(", max_amount = ");
      sql.cases("id", changed, row -> row.newLimit).sql(" WHERE id IN (");
      sql.numbers(changed.keySet())
          .sql(") AND owner_id IN (")
          .numbers(changed.values().stream().map(row -> row.owner).distinct().toList())
          .sql("); ");
    }
    return sql;
  }

  private static void append(SqlText sql, HoldItem.Call row, long now) {
    Demand demand = row.demand();
    Demand.Call call = demand.call();
    Demand.Offer first = demand.offers().get(0);
    Hold.Seen seen = row.hold().seen();
    sql.sql("(").number(row.hold().callId()).sql(",").time(row.hold().startedAt());
    sql.sql(",").number(now + HoldBatch.LEASE_MILLIS);
    sql.sql(",").number(demand.caller().projectId()).sql(",").number(demand.caller().keyId());
    sql.sql(",").string(call.requestId()).sql(",").hex(call.threadHash());
    sql.sql(",").string(call.endpoint());
    sql.sql(",").string(first.provider()).sql(",").string(first.model());
    sql.sql(call.stream() ? ",TRUE," : ",FALSE,").number(seen.input());
    sql.sql(",").number(seen.output());
    sql.sql(",").number(first.price() == null ? null : seen.cost()).sql(")");
  }

  private static void append(SqlText sql, Part part) {
    sql.sql("(").number(part.callId).sql(",").number(part.windowId);
    sql.sql(",").number(part.share.amount()).sql(",").number(part.share.reserved()).sql(")");
  }
}
