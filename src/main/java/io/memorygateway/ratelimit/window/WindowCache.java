package io.memorygateway.ratelimit.window;

import io.memorygateway.http.api.RequestKind;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Cache of the shared windows as this node last read them. A full window stays full until its end,
 * so a request for it needs no database. A window that is full of permits which may come back is
 * not cached ({@link Holders}).
 */
final class WindowCache {
  private final RuleSet rules;
  private final Decisions decisions;
  private final DatabaseClock clock;
  private final ConcurrentMap<Long, WindowCounts> counts = new ConcurrentHashMap<>();

  WindowCache(RuleSet rules, DatabaseClock clock) {
    this.rules = rules;
    this.decisions = new Decisions(rules);
    this.clock = clock;
  }

  void put(long keyId, WindowCounts read) {
    counts.put(keyId, read);
  }

  /** Forgets the windows of a key. */
  void remove(long keyId) {
    counts.remove(keyId);
  }

  @Nullable WindowCounts get(long keyId) {
    return counts.get(keyId);
  }

  /** The refusal of a request whose window is full and certainly still runs; else null. */
  @Nullable Decision refused(long keyId, RequestKind kind, long[] limits) {
    WindowCounts cached = counts.get(keyId);
    return cached == null
        ? null
        : decisions.refused(
            kind,
            limits,
            cached.starts(),
            cached.used(),
            clock.earliest(),
            clock.latest() + Decisions.UNCERTAIN_MILLIS);
  }

  /** Evicts keys whose windows have all ended. */
  void evictEnded() {
    long now = clock.earliest();
    counts.values().removeIf(cached -> ended(cached, now));
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
