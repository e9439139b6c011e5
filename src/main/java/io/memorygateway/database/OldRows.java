package io.memorygateway.database;

import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Removes rows in small batches, on the one node that holds the lease for it. */
public final class OldRows {
  /** Batches between two renewals of the lease, each of which is a write. */
  private static final int BATCHES = 20;

  private OldRows() {}

  /** Removes a batch of rows of a home. */
  @FunctionalInterface
  public interface Removal {
    /** Returns the number of rows; may run on two nodes at once. */
    int remove(Handle handle, Home home);
  }

  /**
   * Removes all rows, unless another node is doing so.
   *
   * @param lease name of the work: letters and hyphens
   * @param batch rows in a statement at most
   * @return how many were removed
   */
  public static long remove(Jdbi jdbi, String lease, int batch, Removal removal) {
    NodeLease held = new NodeLease(jdbi, lease);
    long all = 0;
    if (!held.hold()) {
      return all;
    }
    try {
      int batches = 0;
      for (Home home : Homes.of(jdbi)) {
        int removed = batch;
        while (removed >= batch) {
          removed = jdbi.withHandle(handle -> removal.remove(handle, home));
          all += removed;
          if (++batches % BATCHES == 0 && !held.hold()) {
            return all;
          }
        }
      }
      return all;
    } finally {
      held.release();
    }
  }
}
