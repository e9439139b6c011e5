package io.memorygateway.database;

import java.util.function.ToIntFunction;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Removes rows in small portions, on one node at a time: who holds a named lock of the database
 * does it, the others leave it be.
 */
public final class OldRows {
  private OldRows() {}

  /**
   * Removes all, unless another node is doing so.
   *
   * @param lock name of the lock within this schema: letters and hyphens
   * @param portion rows in a statement at most
   * @param removal removes a portion; returns how many rows that were
   * @return how many were removed
   */
  public static long remove(Jdbi jdbi, String lock, int portion, ToIntFunction<Handle> removal) {
    // Names of locks are the server's, not the schema's.
    String name = "CONCAT('" + lock + "-', LEFT(SHA2(DATABASE(), 256), 32))";
    return jdbi.withHandle(
        handle -> {
          if (!locked(handle, name)) {
            return 0L;
          }
          try {
            long all = 0;
            int removed = portion;
            while (removed == portion) {
              removed = removal.applyAsInt(handle);
              all += removed;
            }
            return all;
          } finally {
            handle.createQuery("SELECT RELEASE_LOCK(" + name + ")").mapTo(Integer.class).one();
          }
        });
  }

  private static boolean locked(Handle handle, String name) {
    return handle
        .createQuery("SELECT GET_LOCK(" + name + ", 0)")
        .mapTo(Integer.class)
        .findOne()
        .filter(got -> got == 1)
        .isPresent();
  }
}
