package io.memorygateway.proxy.call;

/** Progress of a call through its attempts. Used by the thread that serves the call. */
final class CallProgress {
  private final long startNanos;
  private final AttemptTrail trail = new AttemptTrail();
  private long failedNanos;
  private int attempts;

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

  /** Nanoseconds that failed attempts took, including waits between them. */
  long failedNanos() {
    return failedNanos;
  }
}
