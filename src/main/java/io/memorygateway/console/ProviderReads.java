package io.memorygateway.console;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Reads of the recent figures of providers, on all nodes. */
record ProviderReads(LimitedReads reads, InstantSource clock) {
  private static final Duration RECENT_PERIOD = Duration.ofHours(1);

  /** Newest rows of the log from which latencies are computed. */
  private static final int SAMPLES = 2_000;

  /**
   * Attempts of the last hour, to about five minutes.
   *
   * @param failures with status 429 or at least 500, or followed by another attempt
   * @param averageMs of the calls
   */
  record LastHour(long attempts, long failures, @Nullable Long averageMs) {
    static final LastHour NONE = new LastHour(0, 0, null);
  }

  /** Latencies of the newest answered calls of the last hour. */
  record Recent(
      int samples,
      @Nullable Long p50Ms,
      @Nullable Long p95Ms,
      @Nullable Long firstByteP50Ms,
      @Nullable Long firstByteP95Ms) {
    static final Recent NONE = new Recent(0, null, null, null, null);
  }

  /** Figures by the name of the provider. */
  record RecentCalls(Map<String, LastHour> lastHour, Map<String, Recent> recent) {}

  /** The figures; null while the database does not serve. */
  @Nullable RecentCalls read() {
    Instant from = clock.instant().minus(RECENT_PERIOD);
    return reads.readIfPossible(
        handle -> new RecentCalls(lastHour(handle, from), recent(handle, from)));
  }

  private static Map<String, LastHour> lastHour(Handle handle, Instant from) {
    Map<String, LastHour> found = new HashMap<>();
    handle
        .createQuery(
            """
            SELECT provider, SUM(calls + failed_attempts) AS attempts,
                   SUM(IF(status = 429 OR status >= 500, calls, 0) + failed_attempts) AS failures,
                   SUM(calls) AS calls, SUM(duration_ms) AS duration_ms
            FROM usage_traffic WHERE started_at >= :from GROUP BY provider
            """)
        .bind("from", from)
        .map(
            (row, context) -> {
              long calls = row.getLong("calls");
              return found.put(
                  row.getString("provider"),
                  new LastHour(
                      row.getLong("attempts"),
                      row.getLong("failures"),
                      calls == 0 ? null : row.getLong("duration_ms") / calls));
            })
        .list();
    return found;
  }

  private record Sample(
      String provider, boolean answered, long durationMs, @Nullable Long firstByteMs) {}

  private static Map<String, Recent> recent(Handle handle, Instant from) {
    return handle
        .createQuery(
            """
            SELECT provider, status < 400 AND outcome = 'answered' AS answered, duration_ms, first_byte_ms
            FROM request_log WHERE started_at >= :from ORDER BY started_at DESC, id DESC LIMIT :limit
            """)
        .bind("from", from)
        .bind("limit", SAMPLES)
        .mapTo(Sample.class)
        .filter(Sample::answered)
        .collect(
            Collectors.groupingBy(
                Sample::provider,
                Collectors.collectingAndThen(Collectors.toList(), ProviderReads::recent)));
  }

  private static Recent recent(List<Sample> samples) {
    long[] durations = samples.stream().mapToLong(Sample::durationMs).sorted().toArray();
    long[] firstBytes =
        samples.stream()
            .map(Sample::firstByteMs)
            .filter(Objects::nonNull)
            .mapToLong(Long::longValue)
            .sorted()
            .toArray();
    return new Recent(
        durations.length,
        quantile(durations, 0.5),
        quantile(durations, 0.95),
        quantile(firstBytes, 0.5),
        quantile(firstBytes, 0.95));
  }

  private static @Nullable Long quantile(long[] sorted, double share) {
    return sorted.length == 0 ? null : sorted[(int) Math.ceil(share * sorted.length) - 1];
  }
}
