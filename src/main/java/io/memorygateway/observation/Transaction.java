package io.memorygateway.observation;

import org.jdbi.v3.core.HandleCallback;

/** Runs changes in a transaction: all or nothing, retried from the start after a deadlock. */
@FunctionalInterface
public interface Transaction {
  /**
   * Runs work that touches nothing but the database, since it may be repeated.
   *
   * @throws RuntimeException what the work throws, or that the database is not available
   */
  <T> T write(HandleCallback<T, RuntimeException> work);
}
