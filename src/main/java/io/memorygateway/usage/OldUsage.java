package io.memorygateway.usage;

import io.memorygateway.database.OldRows;
import java.time.Duration;
import java.time.Instant;
import org.jdbi.v3.core.Jdbi;

/** Cleaner of calls and totals past their retention, unless another node is cleaning already. */
public final class OldUsage {
  /** Retention of totals by five minutes and by hour: longer than any page shows them. */
  static final Duration DETAILS_KEPT = Duration.ofDays(40);

  private static final int ROWS_PER_DELETE = 1000;

  private static final OldRows.Table CALLS =
      new OldRows.Table(
          "request_log", "project_id", "PRIMARY", "started_at", "started_at < :before");

  private OldUsage() {}

  /** Removes all calls that began before that time from the request log; returns how many rows. */
  public static long removeCalls(Jdbi jdbi, Instant before) {
    return OldRows.remove(
        jdbi,
        "request-log",
        ROWS_PER_DELETE,
        (handle, home) -> CALLS.remove(handle, home, before, ROWS_PER_DELETE));
  }

  /**
   * Removes all totals past their retention; returns how many.
   *
   * @param daysKept retention of totals by day
   */
  static long removeTotals(Jdbi jdbi, Instant now, Duration daysKept) {
    return remove(jdbi, "usage-traffic", "usage_traffic", now.minus(DETAILS_KEPT))
        + remove(jdbi, "usage-hours", "usage_hours", now.minus(DETAILS_KEPT))
        + remove(jdbi, "usage-days", "usage_days", now.minus(daysKept));
  }

  private static long remove(Jdbi jdbi, String lease, String table, Instant before) {
    String sql =
        "DELETE FROM "
            + table
            + " WHERE started_at < :before AND "
            + (table.equals("usage_traffic") ? "home_id" : "project_id")
            + " BETWEEN :first AND :last ORDER BY started_at LIMIT :limit";
    return OldRows.remove(
        jdbi,
        lease,
        ROWS_PER_DELETE,
        (handle, home) ->
            handle
                .createUpdate(sql)
                .bind("before", before)
                .bind("limit", ROWS_PER_DELETE)
                .bindMethods(home)
                .execute());
  }
}
