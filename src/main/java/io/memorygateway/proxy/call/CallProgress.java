package io.memorygateway.proxy.call;

import io.memorygateway.figures.Figures;

/** Progress of a call through its attempts. Used by the thread that serves the call. */
final class CallProgress {
  private final long startNanos;
  private final AttemptTrail trail = new AttemptTrail();
  private long failedNanos;
  private int attempts;
  private long cost;

  /**
   * Creates the progress of a call without attempts.
   *
   * @param startNanos when it began, of {@link System#nanoTime}
   */
  CallProgress(long startNanos) {
    this.startNanos = startNanos;
  }

  long startNanos() {
    return startNanos;
  }

  AttemptTrail trail() {
    return trail;
  }

  /** Counts an attempt that begins; returns its number, from 1. */
  int nextAttempt() {
    return ++attempts;
  }

  /** Adds the time of a failed attempt that another one follows. */
  void failedFor(long nanos) {
    failedNanos += nanos;
  }

  /** Adds what an attempt cost, in pico-dollars; {@link Figures#UNKNOWN}: nobody knows. */
  void costs(long more) {
    cost = cost < 0 || more < 0 ? Figures.UNKNOWN : cost + more;
  }

  /** What all attempts cost that have ended; {@link Figures#UNKNOWN} if it is not known of one. */
  long cost() {
    return cost;
  }

  /** Nanoseconds that failed attempts took, including waits between them. */
  long failedNanos() {
    return failedNanos;
  }
}
