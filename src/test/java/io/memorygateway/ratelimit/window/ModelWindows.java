package io.memorygateway.ratelimit.window;

import io.memorygateway.http.api.RequestKind;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The windows as the contract describes them, one request after the other, in memory. */
final class ModelWindows {
  private final RuleSet rules;
  private final Map<Long, long[]> starts = new HashMap<>();
  private final Map<Long, long[]> used = new HashMap<>();

  ModelWindows(RuleSet rules) {
    this.rules = rules;
  }

  /** Whether one request is in; a clock that is behind counts into the window that runs. */
  boolean admit(long key, RequestKind kind, long[] limits, long now) {
    roll(key, now);
    for (int i : rules.applicable(kind)) {
      if (used(key)[i] >= limits[i]) {
        return false;
      }
    }
    for (int i : rules.applicable(kind)) {
      used(key)[i]++;
    }
    return true;
  }

  /**
   * Permits admitted elsewhere in the window that starts there; matters if no later one has begun.
   */
  void add(long key, int rule, long start, long amount) {
    if (start > starts(key)[rule]) {
      starts(key)[rule] = start;
      used(key)[rule] = amount;
    } else if (start == starts(key)[rule]) {
      used(key)[rule] += amount;
    }
  }

  /** Counted there and not come; matters if no later window has begun. */
  void giveBack(long key, int rule, long start, long amount) {
    if (start == starts(key)[rule]) {
      used(key)[rule] -= amount;
    }
  }

  long[] starts(long key) {
    return starts.computeIfAbsent(
        key,
        k -> {
          long[] none = new long[rules.size()];
          Arrays.fill(none, -1);
          return none;
        });
  }

  long[] used(long key) {
    return used.computeIfAbsent(key, k -> new long[rules.size()]);
  }

  private void roll(long key, long now) {
    for (int i = 0; i < rules.size(); i++) {
      long start = now - now % rules.windowMillis(i);
      if (start > starts(key)[i]) {
        starts(key)[i] = start;
        used(key)[i] = 0;
      }
    }
  }
}
