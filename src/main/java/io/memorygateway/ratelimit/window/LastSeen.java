package io.memorygateway.ratelimit.window;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The shared windows as this node last saw them. A window that was full is full to its end, and a
 * request for it needs no database: what is given back to a window ({@link Prefetch}) comes long
 * before it is full.
 */
final class LastSeen {
  private final RuleSet rules;
  private final ConcurrentMap<Long, Counts> counts = new ConcurrentHashMap<>();

  LastSeen(RuleSet rules) {
    this.rules = rules;
  }

  void put(long keyId, Counts seen) {
    counts.put(keyId, seen);
  }

  @Nullable Counts get(long keyId) {
    return counts.get(keyId);
  }

  /** Forgets keys whose windows have all ended. */
  void forgetEnded(long now) {
    counts.values().removeIf(seen -> ended(seen, now));
  }

  private boolean ended(Counts seen, long now) {
    for (int i = 0; i < rules.size(); i++) {
      if (seen.starts()[i] + rules.windowMillis(i) > now) {
        return false;
      }
    }
    return true;
  }
}
