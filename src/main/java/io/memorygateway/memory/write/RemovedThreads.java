package io.memorygateway.memory.write;

import io.memorygateway.database.Home;
import io.memorygateway.database.Homes;
import io.memorygateway.memory.rows.MessageDao;
import io.memorygateway.memory.rows.MessageSizes;
import io.memorygateway.memory.rows.MessageVectorDao;
import io.memorygateway.memory.rows.RemovedThreadDao;
import io.memorygateway.memory.rows.ThreadTable;
import io.memorygateway.observation.ObservationJobs;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/**
 * Removes the rows of deleted threads, in batches of bounded size. Any node can continue where
 * another one stopped: while a batch is removed, the thread's row in {@code removed_threads} is
 * locked, and other nodes skip it.
 */
public final class RemovedThreads {
  private static final int MESSAGES = 1_000;
  private static final long BYTES = 16 << 20;
  private static final int SMALL_ROWS = 1_000;
  private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Jdbi jdbi;
  private final boolean resting;
  private long all;
  private long thread;
  private long from;

  private RemovedThreads(Jdbi jdbi, boolean resting) {
    this.jdbi = jdbi;
    this.resting = resting;
  }

  /** Removes everything that is due, without pauses; returns the number of rows. */
  public static long remove(Jdbi jdbi) {
    return new RemovedThreads(jdbi, false).run();
  }

  /** Removes what is due, for a scheduler; pauses after each batch for as long as it took. */
  public static long removeResting(Jdbi jdbi) {
    return new RemovedThreads(jdbi, true).run();
  }

  private long run() {
    Homes.each(Homes.of(jdbi), this::run);
    return all;
  }

  private void run(Home home) {
    while (!Thread.currentThread().isInterrupted()) {
      long start = System.nanoTime();
      // Under REPEATABLE READ a deleted range would be locked up to the next thread's rows.
      int removed =
          jdbi.inTransaction(
              TransactionIsolationLevel.READ_COMMITTED, handle -> removeBatch(handle, home));
      if (removed < 0) {
        return;
      }
      all += removed;
      if (resting) {
        LockSupport.parkNanos(Math.min(System.nanoTime() - start, MAX_PAUSE_NANOS));
      }
    }
  }

  /** Removes a batch; returns the number of rows, or -1 if nothing is due. */
  private int removeBatch(Handle handle, Home home) {
    RemovedThreadDao dao = handle.attach(RemovedThreadDao.class);
    Optional<RemovedThreadDao.Due> due = dao.lockDue(home.first(), home.last());
    if (due.isEmpty()) {
      return -1;
    }
    long id = due.get().threadId();
    if (dao.lock(id).isEmpty()) {
      return 0; // by another node, in the meantime
    }
    if (id != thread) {
      thread = id;
      from = 0;
    }
    if (!due.get().removing()) {
      dao.begin(id);
      ObservationJobs.threadDeleted(handle, id);
    }
    int removed = removeMessages(handle, dao);
    if (removed == 0 && from > 0) {
      // Scanning deleted rows is slow until they are purged, so start over only once.
      from = 0;
      removed = removeMessages(handle, dao);
    }
    removed += removed > 0 ? 0 : removeVectors(handle, id);
    for (ThreadTable table : ThreadTable.values()) {
      if (removed == 0 && table.removedTogether() > 0) {
        removed = dao.deleteRows(table.tableName(), id, table.removedTogether());
      }
    }
    removed += removed > 0 ? 0 : dao.forgetAnswers(id, SMALL_ROWS);
    if (removed == 0) {
      dao.deleteThread(id);
      dao.leave(id, true);
      return 1;
    }
    return removed;
  }

  private static int removeVectors(Handle handle, long id) {
    MessageVectorDao vectors = handle.attach(MessageVectorDao.class);
    return vectors.find(id).map(embedded -> vectors.deleteSome(embedded, SMALL_ROWS)).orElse(0);
  }

  private int removeMessages(Handle handle, RemovedThreadDao dao) {
    List<MessageDao.Size> sizes =
        handle.attach(MessageDao.class).sizes(thread, from, Long.MAX_VALUE, MESSAGES);
    if (sizes.isEmpty()) {
      return 0;
    }
    MessageSizes.Fitting fitting = MessageSizes.fitting(sizes, BYTES);
    long last = sizes.get(fitting.count() - 1).seq();
    int removed = dao.deleteMessages(thread, from, last);
    from = last + 1;
    return removed;
  }
}
