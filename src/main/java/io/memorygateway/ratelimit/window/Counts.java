package io.memorygateway.ratelimit.window;

/** The counters of one key at one moment, an element per rule. Neither array is to be changed. */
final class Counts {
  private final long[] starts;
  private final long[] used;

  /** Keeps the arrays as they are. */
  Counts(long[] starts, long[] used) {
    this.starts = starts;
    this.used = used;
  }

  /** When each counter's window began, milliseconds since the epoch; -1 where unknown. */
  long[] starts() {
    return starts;
  }

  /** Requests admitted in that window. */
  long[] used() {
    return used;
  }
}
