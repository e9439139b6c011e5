package io.memorygateway.proxy.circuit;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;

/** Counts of the calls of the last while, and of those that failed. Not thread-safe. */
public final class OutcomeWindow {
  private final InstantSource clock;
  private final long sliceMillis;
  private final long[] slice;
  private final int[] calls;
  private final int[] failures;

  /** Creates an empty window of so many slices, of which the oldest is left out as time goes on. */
  public OutcomeWindow(InstantSource clock, Duration slice, int slices) {
    this.clock = clock;
    this.sliceMillis = slice.toMillis();
    this.slice = new long[slices];
    this.calls = new int[slices];
    this.failures = new int[slices];
  }

  public void add(boolean failed) {
    long number = clock.millis() / sliceMillis;
    int at = (int) (number % slice.length);
    if (slice[at] != number) {
      slice[at] = number;
      calls[at] = 0;
      failures[at] = 0;
    }
    calls[at]++;
    failures[at] += failed ? 1 : 0;
  }

  public int calls() {
    return sum(calls);
  }

  /** The failed ones among them. */
  public int failures() {
    return sum(failures);
  }

  private int sum(int[] counts) {
    long oldest = clock.millis() / sliceMillis - slice.length + 1;
    int sum = 0;
    for (int i = 0; i < slice.length; i++) {
      sum += slice[i] >= oldest ? counts[i] : 0;
    }
    return sum;
  }

  void clear() {
    Arrays.fill(slice, 0);
  }
}
