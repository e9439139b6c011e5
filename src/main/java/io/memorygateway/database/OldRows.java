package io.memorygateway.database;

import java.util.function.ToIntFunction;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Removes rows in small batches, on the one node that holds the lease for it. */
public final class OldRows {
  /** Batches between two renewals of the lease, each of which is a write. */
  private static final int BATCHES = 20;

  private OldRows() {}

  /**
   * Removes all rows, unless another node is doing so.
   *
   * @param lease name of the work: letters and hyphens
   * @param batch rows in a statement at most
   * @param removal removes a batch and returns its number of rows; may run on two nodes at once
   * @return how many were removed
   */
  public static long remove(Jdbi jdbi, String lease, int batch, ToIntFunction<Handle> removal) {
    NodeLease held = new NodeLease(jdbi, lease);
    long all = 0;
    if (!held.hold()) {
      return all;
    }
    try {
      for (int batches = 1; ; batches++) {
        int removed = jdbi.withHandle(removal::applyAsInt);
        all += removed;
        if (removed < batch || (batches % BATCHES == 0 && !held.hold())) {
          return all;
        }
      }
    } finally {
      held.release();
    }
  }
}
