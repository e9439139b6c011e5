package io.memorygateway.ratelimit.window;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one key and kind that are counted in the shared windows already and have not come
 * yet.
 */
final class Portion {
  private final Counts counts;
  private final long usableBefore;
  private final AtomicInteger left;

  /**
   * Requests that were counted last.
   *
   * @param counts with all of them
   * @param usableBefore when the first of their windows ends, milliseconds since the epoch
   */
  Portion(int requests, Counts counts, long usableBefore) {
    this.left = new AtomicInteger(requests);
    this.counts = counts;
    this.usableBefore = usableBefore;
  }

  /**
   * One of them comes.
   *
   * @param rules that it passes
   * @param latest the database's time, rather too late than too early
   * @return the counters just after it; null if none is left or its window may have ended
   */
  @Nullable Counts take(int[] rules, long latest) {
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
    return new Counts(counts.starts(), used);
  }

  /** Whether one of their windows may have ended. */
  boolean hasEnded(long latest) {
    return latest >= usableBefore;
  }

  /** How many have not come, and will not come any more. */
  int close() {
    return left.getAndSet(0);
  }

  boolean isEmpty() {
    return left.get() == 0;
  }

  /** When the windows that they are counted in began, an element per rule. */
  long[] starts() {
    return counts.starts();
  }
}
