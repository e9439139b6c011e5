package io.memorygateway.usage;

import com.google.common.collect.Lists;
import io.memorygateway.database.OldRows;
import io.memorygateway.database.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionException;

/**
 * Adds rows of the request log that are not rolled up to the totals: rows from before there were
 * totals, and rows of nodes of the previous version during an update. It scans the log by time, on
 * one node at a time, and stores how far it got. A row is marked and counted in one transaction, so
 * that it counts once, whichever process is killed when.
 */
final class RollUpSweep {
  /** Rows that one step reads. */
  static final int STEP = 5_000;

  /**
   * How far before the present each scan begins again: rows of nodes of the previous version may be
   * that late.
   */
  static final Duration LATE = Duration.ofHours(2);

  /** Rows that one statement per table adds to the totals. */
  private static final int BATCH = 500;

  private static final String MARKED =
      """
      SELECT started_at, id, project_id, key_id, endpoint, provider, model, status, input_tokens, output_tokens,
             cached_tokens, duration_ms, error_type, attempt, outcome
      FROM request_log WHERE started_at > :after AND started_at <= :until AND rolled_up = 2
      """;

  private final Jdbi jdbi;
  private final Transactions transactions;
  private final InstantSource clock;
  private final TotalsModels models = new TotalsModels();
  private final int rowsOfStep;

  RollUpSweep(Jdbi jdbi, InstantSource clock) {
    this(jdbi, clock, STEP);
  }

  /**
   * Creates a sweep with another size of steps.
   *
   * @param rowsOfStep rows that one step reads
   */
  RollUpSweep(Jdbi jdbi, InstantSource clock, int rowsOfStep) {
    this.jdbi = jdbi;
    this.transactions = Transactions.ofOperators(jdbi);
    this.clock = clock;
    this.rowsOfStep = rowsOfStep;
  }

  /** Scans to the end of the log, unless another node does; returns how many rows it added. */
  long run() {
    long[] added = {0};
    OldRows.remove(
        jdbi,
        "usage-rollup",
        1,
        handle -> {
          Step step = step(handle);
          added[0] += step.added();
          return step.last() ? 0 : 1;
        });
    return added[0];
  }

  /**
   * Result of a step.
   *
   * @param added rows that were not rolled up
   * @param last whether it reached the end of the log
   */
  private record Step(long added, boolean last) {}

  private Step step(Handle handle) {
    Instant after =
        handle
            .createQuery("SELECT swept_to FROM usage_rollup WHERE id = 1")
            .mapTo(Instant.class)
            .one();
    Instant next =
        handle
            .createQuery(
                "SELECT started_at FROM request_log WHERE started_at > :after ORDER BY started_at,"
                    + " id LIMIT 1 OFFSET "
                    + (rowsOfStep - 1))
            .bind("after", after)
            .mapTo(Instant.class)
            .findOne()
            .orElse(null);
    Instant now = clock.instant();
    // A row of a node whose clock is ahead is found once its time has come.
    Instant until = next == null || next.isAfter(now) ? now : next;
    boolean last = until.equals(now);
    long added = isAnyLeft(handle, after, until) ? add(after, until) : 0;
    handle
        .createUpdate("UPDATE usage_rollup SET swept_to = :to WHERE id = 1")
        .bind("to", last ? until.minus(LATE) : until)
        .execute();
    return new Step(added, last);
  }

  private static boolean isAnyLeft(Handle handle, Instant after, Instant until) {
    return handle
        .createQuery(
            """
            SELECT 1 FROM request_log
            WHERE started_at > :after AND started_at <= :until AND rolled_up = 0 LIMIT 1
            """)
        .bind("after", after)
        .bind("until", until)
        .mapTo(Integer.class)
        .findOne()
        .isPresent();
  }

  private long add(Instant after, Instant until) {
    return transactions.write(
        handle -> {
          // Rows are marked first, so that rows inserted meanwhile are neither marked nor counted.
          int marked = mark(handle, 0, 2, after, until);
          if (marked > 0) {
            count(handle, marked(handle, after, until));
            mark(handle, 2, 1, after, until);
          }
          return (long) marked;
        });
  }

  private static int mark(Handle handle, int from, int to, Instant after, Instant until) {
    return handle
        .createUpdate(
            """
            UPDATE request_log SET rolled_up = :to
            WHERE started_at > :after AND started_at <= :until AND rolled_up = :from
            """)
        .bind("to", to)
        .bind("from", from)
        .bind("after", after)
        .bind("until", until)
        .execute();
  }

  private void count(Handle handle, List<LoggedCall> calls) {
    try {
      for (List<LoggedCall> part : Lists.partition(calls, BATCH)) {
        RollUp.add(handle.getConnection(), models.bounded(handle.getConnection(), part));
      }
    } catch (SQLException e) {
      throw new TransactionException(e);
    }
  }

  private static List<LoggedCall> marked(Handle handle, Instant after, Instant until) {
    return handle
        .createQuery(MARKED)
        .bind("after", after)
        .bind("until", until)
        .map((row, context) -> call(row))
        .list();
  }

  /** A call with the values that count in the totals. */
  private static LoggedCall call(ResultSet row) throws SQLException {
    return new LoggedCall(
        row.getTimestamp("started_at").toInstant(),
        row.getLong("id"),
        row.getLong("project_id"),
        row.getLong("key_id"),
        "",
        null,
        row.getString("endpoint"),
        row.getString("provider"),
        row.getString("model"),
        row.getInt("status"),
        false,
        row.getObject("input_tokens", Long.class),
        row.getObject("output_tokens", Long.class),
        row.getObject("cached_tokens", Long.class),
        row.getLong("duration_ms"),
        null,
        null,
        row.getString("error_type"),
        new LoggedCall.Attempt(
            row.getInt("attempt"),
            row.getString("outcome"),
            row.getInt("status"),
            row.getLong("duration_ms")));
  }
}
