package io.memorygateway.ratelimit.window;

/**
 * What requests have used of a key's windows, without the permits that this node holds ahead of
 * them. For who holds its monitor.
 */
final class UsedWindows {
  private long[] starts = {};
  private long[] used = {};

  /**
   * Takes what the database counts.
   *
   * @param ahead what is counted and used by no request of this node, by rule
   */
  void read(WindowCounts counts, long[] ahead) {
    starts = counts.starts();
    used = counts.used().clone();
    for (int i = 0; i < used.length; i++) {
      used[i] -= ahead[i];
    }
  }

  /** Counts a request that took a permit; returns what is used then, by rule. */
  long[] count(int[] rules) {
    for (int i : rules) {
      used[i]++;
    }
    return used;
  }

  /** Starts of the windows, by rule. */
  long[] starts() {
    return starts;
  }
}
