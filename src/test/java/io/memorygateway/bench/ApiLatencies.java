package io.memorygateway.bench;

import java.util.Arrays;
import java.util.Locale;

/** Times of requests, in nanoseconds. */
final class ApiLatencies {
  private long[] nanos = new long[1 << 16];
  private int count;

  synchronized void add(long time) {
    if (count == nanos.length) {
      nanos = Arrays.copyOf(nanos, count * 2);
    }
    nanos[count++] = time;
  }

  synchronized int count() {
    return count;
  }

  /** In milliseconds. */
  synchronized double at(double quantile) {
    long[] sorted = Arrays.copyOf(nanos, count);
    Arrays.sort(sorted);
    return sorted[(int) Math.min(count - 1L, (long) (count * quantile))] / 1e6;
  }

  String line(String name) {
    return String.format(
        Locale.ROOT,
        "  %-45s n %,8d  p50 %7.2f  p99 %7.2f  p99.9 %7.2f ms",
        name,
        count(),
        at(0.5),
        at(0.99),
        at(0.999));
  }
}
