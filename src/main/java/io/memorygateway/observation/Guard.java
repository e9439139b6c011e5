package io.memorygateway.observation;

import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.jdbi.v3.core.Handle;

/**
 * Writes what came of work on a thread: only while the thread is there and the lease is held, and
 * under the lock of the thread's head, so that it happens once, whoever died when.
 */
final class Guard {
  private final Transaction transaction;

  Guard(Transaction transaction) {
    this.transaction = transaction;
  }

  /**
   * Does all of it or nothing.
   *
   * @throws GivenUpException if it must not be done
   */
  void commit(Lease lease, BiConsumer<Handle, StateDao.Head> work) {
    call(
        lease,
        (handle, head) -> {
          work.accept(handle, head);
          return true;
        });
  }

  /** The same, with an answer. */
  boolean call(Lease lease, BiFunction<Handle, StateDao.Head, Boolean> work) {
    return transaction.write(
        handle -> {
          StateDao.Head head =
              handle
                  .attach(StateDao.class)
                  .lockHead(lease.threadId())
                  .orElseThrow(() -> new GivenUpException(GivenUpException.Reason.THREAD_GONE));
          if (handle.attach(JobDao.class).lockOwned(lease.threadId(), lease.owner()).isEmpty()) {
            throw new GivenUpException(GivenUpException.Reason.LEASE_LOST);
          }
          return work.apply(handle, head);
        });
  }

  /** Shows that work of a kind is running; it ends with the next write of what came of it. */
  void begin(Lease lease, Work work, long leaseMillis) {
    commit(
        lease,
        (handle, head) -> {
          StateDao dao = handle.attach(StateDao.class);
          dao.make(lease.threadId());
          dao.begin(work.column(), lease.threadId(), leaseMillis);
        });
  }

  /** What may be running. */
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
