package io.memorygateway.observation;

import io.memorygateway.database.Transactions;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/**
 * Writes the results of work on a thread, only while the thread exists and the lease is held, under
 * the lock of the thread's head: so each result is written once, whichever node died when.
 */
record LeaseGuard(Transactions transactions) {
  /**
   * Does the work in one transaction.
   *
   * @throws WorkAbortedException if the thread or the lease is gone
   */
  void commit(Lease lease, Consumer<Handle> work) {
    commit(lease, List.of(), work);
  }

  /**
   * Does the work in one transaction and returns its result.
   *
   * @throws WorkAbortedException if the thread or the lease is gone
   */
  boolean call(Lease lease, BiFunction<Handle, StateDao.Head, Boolean> work) {
    return transactions.write(
        handle -> {
          StateDao.Head head =
              handle
                  .attach(StateDao.class)
                  .lockHead(lease.threadId())
                  .orElseThrow(
                      () -> new WorkAbortedException(WorkAbortedException.Reason.THREAD_GONE));
          checkOwner(handle, lease);
          return work.apply(handle, head);
        });
  }

  /**
   * Does work that rests on other threads as well in one transaction, under the locks of all heads.
   *
   * @throws WorkAbortedException if a thread or the lease is gone
   */
  void commit(Lease lease, Collection<Long> others, Consumer<Handle> work) {
    TreeSet<Long> threads = new TreeSet<>(others);
    threads.add(lease.threadId());
    transactions.write(
        handle -> {
          List<Long> there = handle.attach(StateDao.class).lockHeads(threads);
          if (!there.contains(lease.threadId())) {
            throw new WorkAbortedException(WorkAbortedException.Reason.THREAD_GONE);
          }
          checkOwner(handle, lease);
          if (there.size() < threads.size()) {
            throw new WorkAbortedException(WorkAbortedException.Reason.MESSAGES_CHANGED);
          }
          work.accept(handle);
          return true;
        });
  }

  private static void checkOwner(Handle handle, Lease lease) {
    if (handle.attach(JobDao.class).lockOwned(lease.threadId(), lease.owner()).isEmpty()) {
      throw new WorkAbortedException(WorkAbortedException.Reason.LEASE_LOST);
    }
  }

  /** Marks work of a kind as running, until its results are written or so much time has passed. */
  void begin(Lease lease, Work work) {
    commit(
        lease,
        handle -> {
          StateDao dao = handle.attach(StateDao.class);
          dao.make(lease.threadId());
          dao.begin(work.column(), lease.threadId(), Leases.LEASE_MILLIS);
        });
  }

  /** The kinds of work that can be running, each with its column. */
  enum Work {
    OBSERVING("observing_until"),
    REFLECTING("reflecting_until"),
    BUFFERING("buffering_until"),
    BUFFERING_REFLECTION("buffering_reflection_until");

    private final String column;

    Work(String column) {
      this.column = column;
    }

    String column() {
      return column;
    }
  }
}
