package io.memorygateway.bench;

/** Counts durations in classes that are 3 % wide. One thread writes. */
final class Latencies {
  private static final double STEP = Math.log(1.03);

  private final long[] counts = new long[1_000];
  private long total;

  void record(long nanos) {
    int at = (int) (Math.log((double) Math.max(1, nanos)) / STEP);
    counts[Math.min(at, counts.length - 1)]++;
    total++;
  }

  void add(Latencies other) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] += other.counts[i];
    }
    total += other.total;
  }

  long total() {
    return total;
  }

  /** The duration that this share of all stays below, in milliseconds. */
  double percentile(double share) {
    long seen = 0;
    for (int i = 0; i < counts.length; i++) {
      seen += counts[i];
      if (seen >= share * total) {
        return Math.exp((i + 0.5) * STEP) / 1e6;
      }
    }
    return 0;
  }
}
