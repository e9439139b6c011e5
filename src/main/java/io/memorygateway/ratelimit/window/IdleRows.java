package io.memorygateway.ratelimit.window;

import io.memorygateway.database.Home;
import io.memorygateway.database.OldRows;
import java.time.Duration;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * Cleaner of the rows of keys that have not been used for two days, which is longer than any
 * window, and of those of their dead holders: found by a plain read, deleted by primary key in
 * small transactions that lock nothing else.
 */
public final class IdleRows {
  /** Name of the lease of the node that removes rows. */
  static final String LEASE = "rate-limits";

  private static final Duration IDLE = RuleSlots.FREE_AFTER;
  private static final int BATCH = 200;
  private static final String FIND =
      """
      SELECT key_id FROM rate_limit_windows
      WHERE key_id BETWEEN :next AND :last AND touched_at < %s - %d ORDER BY key_id LIMIT %d
      """
          .formatted(WindowStatement.NOW, IDLE.toMillis(), BATCH);
  private static final String REMOVE =
      "DELETE FROM rate_limit_windows WHERE key_id = ? AND touched_at < %s - %d"
          .formatted(WindowStatement.NOW, IDLE.toMillis());

  private static final String REMOVE_HOLDERS =
      "DELETE FROM rate_limit_holders WHERE key_id IN (<keys>)";

  /**
   * Largest key of the previous batch: the table has no index of times, so each batch is searched
   * from there.
   */
  private long after = Long.MIN_VALUE;

  private IdleRows() {}

  /** Removes all idle rows, unless another node is doing so; returns how many. */
  public static long remove(Jdbi jdbi) {
    return OldRows.remove(jdbi, LEASE, BATCH, new IdleRows()::removeBatch);
  }

  private int removeBatch(Handle handle, Home home) {
    List<Long> keys =
        handle
            .createQuery(FIND)
            .bind("next", Math.max(after + 1, home.first()))
            .bind("last", home.last())
            .mapTo(Long.class)
            .list();
    if (keys.isEmpty()) {
      return 0;
    }
    after = keys.get(keys.size() - 1);
    return handle.inTransaction(
        same -> {
          PreparedBatch batch = same.prepareBatch(REMOVE);
          keys.forEach(batch::add);
          same.createUpdate(REMOVE_HOLDERS).bindList("keys", keys).execute();
          int removed = 0;
          for (int rows : batch.execute()) {
            removed += rows;
          }
          return removed;
        });
  }
}
