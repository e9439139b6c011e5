package io.memorygateway.faults;

import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** How long calls took, and when each began, of {@link System#nanoTime()}. */
final class CallTimes {
  private final Queue<Call> calls = new ConcurrentLinkedQueue<>();

  private record Call(long begun, long nanos) {}

  /** Adds a call that ends now. */
  void add(long begun) {
    calls.add(new Call(begun, System.nanoTime() - begun));
  }

  double longestSeconds() {
    return nanos(Long.MIN_VALUE, Long.MAX_VALUE, 1) / 1e9;
  }

  /** The number of calls that began between two times, and what they took. */
  String between(long from, long to) {
    long count = calls.stream().filter(call -> isBetween(call, from, to)).count();
    return String.format(
        Locale.ROOT,
        "calls=%d p50=%.0fms p99=%.0fms most=%.0fms",
        count,
        nanos(from, to, 0.5) / 1e6,
        nanos(from, to, 0.99) / 1e6,
        nanos(from, to, 1) / 1e6);
  }

  private static boolean isBetween(Call call, long from, long to) {
    return call.begun >= from && call.begun < to;
  }

  private long nanos(long from, long to, double part) {
    long[] sorted =
        calls.stream()
            .filter(call -> isBetween(call, from, to))
            .mapToLong(Call::nanos)
            .sorted()
            .toArray();
    return sorted.length == 0 ? 0 : sorted[Math.max(0, (int) Math.ceil(part * sorted.length) - 1)];
  }
}
