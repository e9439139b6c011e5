package io.memorygateway.ratelimit.window;

import io.memorygateway.http.api.RequestKind;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Cache of the shared windows as this node last read them. A full window stays full until its end,
 * so a request for it needs no database. A window that is full of permits which may come back is
 * not cached ({@link Holders}), and a window that was not full when it was read is not full under a
 * limit that was lowered since: what is counted in it may be permits that come back.
 */
final class WindowCache {
  private static final long NOT_FULL = -1;

  private final RuleSet rules;
  private final Decisions decisions;
  private final DatabaseClock clock;
  private final ConcurrentMap<Long, Known> known = new ConcurrentHashMap<>();

  /**
   * The windows of a key.
   *
   * @param full what is used of those that were full when they were read, and nothing of the others
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Known(WindowCounts counts, long[] full) {}

  WindowCache(RuleSet rules, DatabaseClock clock) {
    this.rules = rules;
    this.decisions = new Decisions(rules);
    this.clock = clock;
  }

  /**
   * Takes the windows of a key.
   *
   * @param limits by which they were decided
   */
  void put(long keyId, WindowCounts read, long[] limits) {
    long[] used = read.used();
    long[] full =
        IntStream.range(0, used.length)
            .mapToLong(i -> used[i] >= limits[i] ? used[i] : NOT_FULL)
            .toArray();
    known.put(keyId, new Known(read, full));
  }

  void remove(long keyId) {
    known.remove(keyId);
  }

  @Nullable WindowCounts get(long keyId) {
    Known cached = known.get(keyId);
    return cached == null ? null : cached.counts;
  }

  /** The refusal of a request whose window is full and certainly still runs; else null. */
  @Nullable Decision refused(long keyId, RequestKind kind, long[] limits) {
    Known cached = known.get(keyId);
    return cached == null
        ? null
        : decisions.refused(
            kind,
            limits,
            cached.counts.starts(),
            cached.full,
            clock.earliest(),
            clock.latest() + Decisions.UNCERTAIN_MILLIS);
  }

  void evictEnded() {
    long now = clock.earliest();
    known.values().removeIf(cached -> ended(cached.counts, now));
  }

  private boolean ended(WindowCounts cached, long now) {
    for (int i = 0; i < rules.size(); i++) {
      if (cached.starts()[i] + rules.windowMillis(i) > now) {
        return false;
      }
    }
    return true;
  }
}
