package io.memorygateway.format.align;

import java.util.concurrent.CancellationException;

/** Ends work whose result is no longer needed: the one who cancels it interrupts its thread. */
public final class Cancellation {
  private Cancellation() {}

  /**
   * Throws if the work is cancelled; to be called every few thousand steps of a loop whose length a
   * caller controls.
   *
   * @throws CancellationException if the thread has been interrupted; it stays interrupted
   */
  public static void check() {
    if (Thread.currentThread().isInterrupted()) {
      throw new CancellationException("interrupted");
    }
  }
}
