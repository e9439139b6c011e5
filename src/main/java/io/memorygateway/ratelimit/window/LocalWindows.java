package io.memorygateway.ratelimit.window;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.WindowStore.Adjustment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Windows of this node alone, which decide while the shared ones cannot be reached, and record the
 * permits to add to those. While closed, they decide nothing.
 */
final class LocalWindows {
  private final RuleSet rules;
  private final Decisions decisions;
  private final Map<Long, LocalCounts> keys = new HashMap<>();
  private boolean open;

  /** Counters of one key, by rule. */
  private static final class LocalCounts {
    final long[] starts;
    final long[] used;
    final long[] unsent;

    LocalCounts(int rules) {
      starts = new long[rules];
      used = new long[rules];
      unsent = new long[rules];
      Arrays.fill(starts, -1);
    }
  }

  LocalWindows(RuleSet rules) {
    this.rules = rules;
    this.decisions = new Decisions(rules);
  }

  /** Opens the windows; returns whether they were closed. */
  synchronized boolean open() {
    boolean opened = !open;
    open = true;
    return opened;
  }

  /**
   * Decides by this node's counters, which continue those last read of the shared window.
   *
   * @param cached counters of the shared windows
   * @return null if closed
   */
  synchronized @Nullable Decision decide(
      long keyId, RequestKind kind, long[] limits, long now, @Nullable WindowCounts cached) {
    if (!open) {
      return null;
    }
    LocalCounts local = counts(keyId);
    int[] applicable = rules.applicable(kind);
    for (int i : applicable) {
      roll(local, i, now, cached);
    }
    Decision refused = decisions.refused(kind, limits, local.starts, local.used, now, 0);
    if (refused != null) {
      return refused;
    }
    for (int i : applicable) {
      local.used[i]++;
      local.unsent[i]++;
    }
    return decisions.admitted(Outcome.LOCAL, kind, limits, local.starts, local.used);
  }

  private LocalCounts counts(long keyId) {
    return keys.computeIfAbsent(keyId, id -> new LocalCounts(rules.size()));
  }

  /** Begins the window that contains {@code now}, if that is another one. */
  private void roll(LocalCounts local, int rule, long now, @Nullable WindowCounts cached) {
    long start = rules.windowStart(rule, now);
    if (local.starts[rule] < start) {
      local.starts[rule] = start;
      local.used[rule] = cached != null && cached.starts()[rule] == start ? cached.used()[rule] : 0;
      local.unsent[rule] = 0;
    }
  }

  /** Permits admitted in windows that still run; each is returned once. */
  synchronized List<Adjustment> drain(long now) {
    List<Adjustment> admitted = new ArrayList<>();
    keys.forEach(
        (keyId, local) -> {
          WindowCounts counts = unsent(local, now);
          if (Arrays.stream(counts.used()).anyMatch(used -> used > 0)) {
            admitted.add(new Adjustment(keyId, counts));
          }
          Arrays.fill(local.unsent, 0);
        });
    return admitted;
  }

  /** Closes and clears the windows; returns the permits that were not drained before. */
  synchronized List<Adjustment> close(long now) {
    List<Adjustment> rest = drain(now);
    keys.clear();
    open = false;
    return rest;
  }

  /** Takes back drained permits that could not be added to the shared windows. */
  synchronized void restore(List<Adjustment> admitted) {
    for (Adjustment adjustment : admitted) {
      LocalCounts local = counts(adjustment.keyId());
      for (int i = 0; i < rules.size(); i++) {
        long start = adjustment.counts().starts()[i];
        long used = adjustment.counts().used()[i];
        if (local.starts[i] < start) {
          local.starts[i] = start;
          local.used[i] = used;
          local.unsent[i] = used;
        } else if (local.starts[i] == start) {
          local.unsent[i] += used;
        }
      }
    }
  }

  private WindowCounts unsent(LocalCounts local, long now) {
    long[] starts = new long[rules.size()];
    long[] used = new long[rules.size()];
    for (int i = 0; i < starts.length; i++) {
      boolean runs = local.starts[i] + rules.windowMillis(i) > now && local.unsent[i] > 0;
      starts[i] = runs ? local.starts[i] : -1;
      used[i] = runs ? local.unsent[i] : 0;
    }
    return new WindowCounts(starts, used);
  }
}
