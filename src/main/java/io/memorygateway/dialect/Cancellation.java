package io.memorygateway.dialect;

import java.util.concurrent.CancellationException;

/** Ends work whose result nobody waits for any more: whoever gives it up interrupts its thread. */
final class Cancellation {
  private Cancellation() {}

  /**
   * To be called every few thousand steps of a loop that a caller can make long.
   *
   * @throws CancellationException if the thread has been interrupted; it stays so
   */
  static void check() {
    if (Thread.currentThread().isInterrupted()) {
      throw new CancellationException("interrupted");
    }
  }
}
