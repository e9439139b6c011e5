package io.memorygateway.memory.write;

import io.memorygateway.database.NodeLease;
import io.memorygateway.memory.rows.RemovedThreadDao;
import io.memorygateway.memory.rows.ThreadTable;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Rows whose thread is gone, because somebody deleted it by hand. No read shows them. They are
 * looked for a slice at a time, and handed over to {@link RemovedThreads}.
 */
public final class OrphanedRows {
  /** Tables with rows of threads; each has an index that begins with the thread. */
  public static final Set<ThreadTable> TABLES =
      EnumSet.complementOf(
          EnumSet.of(
              ThreadTable.THREADS,
              ThreadTable.REMOVED_THREADS,
              // They have no index by thread, and go with the row of embedding_threads.
              ThreadTable.MESSAGE_VECTORS));

  private static final int THREADS = 500;
  private static final int MAX_COUNTED = 10_000;
  private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final String SLICE =
      """
      SELECT s.thread_id, t.id IS NULL AS orphaned FROM
        (SELECT DISTINCT thread_id FROM %s WHERE thread_id > :after ORDER BY thread_id LIMIT :limit) s
      LEFT JOIN threads t ON t.id = s.thread_id ORDER BY s.thread_id
      """;

  private record Found(long threadId, boolean orphaned) {}

  private OrphanedRows() {}

  /** Counts the threads that have rows, and are gone; up to ten thousand. */
  public static int count(Jdbi jdbi) {
    Set<Long> all = new TreeSet<>();
    for (ThreadTable table : TABLES) {
      long after = Long.MIN_VALUE;
      List<Found> slice = slice(jdbi, table, after);
      while (!slice.isEmpty() && all.size() < MAX_COUNTED) {
        slice.stream().filter(Found::orphaned).forEach(found -> all.add(found.threadId()));
        slice = slice(jdbi, table, slice.get(slice.size() - 1).threadId());
      }
    }
    return all.size();
  }

  /**
   * Creates the work of one node: it hands all such rows over for removal, and returns the number
   * of threads, again and again.
   *
   * @param interval between two times; if the node dies, another one begins after two of them
   */
  public static LongSupplier work(Jdbi jdbi, Duration interval) {
    NodeLease lease = new NodeLease(jdbi, "orphaned-rows", interval.multipliedBy(2));
    return () -> lease.hold() ? handOver(jdbi, true) : 0;
  }

  /**
   * Hands all such rows over for removal.
   *
   * @param resting whether to pause after each slice for as long as it took
   * @return the number of threads
   */
  public static long handOver(Jdbi jdbi, boolean resting) {
    long all = 0;
    for (ThreadTable table : TABLES) {
      long after = Long.MIN_VALUE;
      List<Found> slice;
      do {
        long start = System.nanoTime();
        slice = slice(jdbi, table, after);
        for (Found found : slice) {
          after = found.threadId();
          if (found.orphaned()) {
            all +=
                jdbi.<Integer, RuntimeException>inTransaction(
                    handle -> handOver(handle, found.threadId()));
          }
        }
        if (resting) {
          LockSupport.parkNanos(Math.min(System.nanoTime() - start, MAX_PAUSE_NANOS));
        }
      } while (slice.size() == THREADS && !Thread.currentThread().isInterrupted());
    }
    return all;
  }

  private static List<Found> slice(Jdbi jdbi, ThreadTable table, long after) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(SLICE.formatted(table.tableName()))
                .bind("after", after)
                .bind("limit", THREADS)
                .mapTo(Found.class)
                .list());
  }

  /** Hands over one thread; ids are never given again, so it stays gone. Returns 1 if it is new. */
  private static int handOver(Handle handle, long threadId) {
    RemovedThreadDao dao = handle.attach(RemovedThreadDao.class);
    int entered = dao.enterOrphan(threadId);
    if (entered > 0) {
      // A thread that is moved to another home is there already, and its head is still needed.
      dao.deleteHead(threadId);
    }
    return entered;
  }
}
