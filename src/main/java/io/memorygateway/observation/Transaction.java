package io.memorygateway.observation;

import org.jdbi.v3.core.HandleCallback;

/** How changes are made: all or nothing, again from the start after a deadlock. */
@FunctionalInterface
public interface Transaction {
  /**
   * Does work that touches nothing but the database.
   *
   * @throws RuntimeException what the work throws, or that the database does not serve it
   */
  <T> T write(HandleCallback<T, RuntimeException> work);
}
