package io.memorygateway.http.admission;

/** Reports when the client of a call leaves while it waits. */
@FunctionalInterface
public interface ClientPresence {

  /** A watch that lasts until it is closed. */
  interface Watch extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Begins to watch.
   *
   * @param onLeaving called at most once, on any thread, possibly before this returns
   */
  Watch watch(Runnable onLeaving);
}
