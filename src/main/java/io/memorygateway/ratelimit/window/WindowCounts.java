package io.memorygateway.ratelimit.window;

/** Counters of one key at one time; both arrays are indexed by rule and not to be changed. */
final class WindowCounts {
  private final long[] starts;
  private final long[] used;

  /** Wraps the arrays, without copies. */
  WindowCounts(long[] starts, long[] used) {
    this.starts = starts;
    this.used = used;
  }

  /** Start of each counter's window, milliseconds since the epoch; -1 where unknown. */
  long[] starts() {
    return starts;
  }

  /** Requests admitted in that window. */
  long[] used() {
    return used;
  }
}
