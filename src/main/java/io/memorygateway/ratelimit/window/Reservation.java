package io.memorygateway.ratelimit.window;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Permits of one key and kind that one transaction reserved for requests which have not arrived
 * yet.
 */
final class Reservation {
  private final WindowCounts counts;
  private final long usableBefore;
  private final AtomicInteger left;

  /**
   * @param counts with all of them
   * @param usableBefore when the first of their windows ends, milliseconds since the epoch
   */
  Reservation(int permits, WindowCounts counts, long usableBefore) {
    this.left = new AtomicInteger(permits);
    this.counts = counts;
    this.usableBefore = usableBefore;
  }

  /**
   * Takes one permit.
   *
   * @param rules indexes of the rules that the request must pass
   * @param latest the upper bound of the database's time
   * @return the counters just after it; null if none is left or its window may have ended
   */
  @Nullable WindowCounts take(int[] rules, long latest) {
    if (hasEnded(latest)) {
      return null;
    }
    int before = left.getAndUpdate(n -> Math.max(0, n - 1));
    if (before == 0) {
      return null;
    }
    long[] used = counts.used().clone();
    for (int i : rules) {
      used[i] -= before - 1;
    }
    return new WindowCounts(counts.starts(), used);
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

  /** Starts of the windows in which its permits are counted, by rule. */
  long[] starts() {
    return counts.starts();
  }
}
