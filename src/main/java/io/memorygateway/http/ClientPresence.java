package io.memorygateway.http;

/** Tells when the client of a call leaves while it waits. */
@FunctionalInterface
public interface ClientPresence {

  /** Watches until it is closed. */
  interface Watch extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Begins to watch.
   *
   * @param onLeaving called at most once, on any thread, also at once
   */
  Watch watch(Runnable onLeaving);
}
