package io.memorygateway.ratelimit.window;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Permits of one key and kind that one transaction reserved for requests which have not arrived
 * yet.
 */
final class Reservation {
  private final long[] starts;
  private final long usableBefore;
  private final AtomicInteger left;

  /**
   * @param starts of the windows in which they are counted, by rule
   * @param usableBefore when the first of them ends, milliseconds since the epoch
   */
  Reservation(int permits, long[] starts, long usableBefore) {
    this.left = new AtomicInteger(permits);
    this.starts = starts;
    this.usableBefore = usableBefore;
  }

  /**
   * Takes one permit; false if none is left or its window may have ended.
   *
   * @param latest the upper bound of the database's time
   */
  boolean take(long latest) {
    return !hasEnded(latest) && left.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
  }

  boolean hasEnded(long latest) {
    return latest >= usableBefore;
  }

  /** Ends the reservation; returns how many permits were not used. */
  int close() {
    return left.getAndSet(0);
  }

  boolean isEmpty() {
    return left.get() == 0;
  }

  /** Permits that are left and counted in such a window of a rule. */
  int left(int rule, long start) {
    return starts[rule] == start ? left.get() : 0;
  }

  /** Starts of the windows in which its permits are counted, by rule. */
  long[] starts() {
    return starts;
  }
}
