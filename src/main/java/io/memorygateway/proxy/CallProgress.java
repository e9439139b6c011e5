package io.memorygateway.proxy;

/** How far a call has come with its attempts. For the thread that serves the call. */
final class CallProgress {
  private final long startNanos;
  private final AttemptTrail trail = new AttemptTrail();
  private long failedNanos;
  private int attempts;

  /**
   * A call without attempts.
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

  /** Counts an attempt that begins; its number, from 1. */
  int nextAttempt() {
    return ++attempts;
  }

  /** An attempt failed, and another one follows after this time in all. */
  void failedFor(long nanos) {
    failedNanos += nanos;
  }

  /** Time that attempts took which failed; waits between them included. */
  long failedNanos() {
    return failedNanos;
  }
}
