package io.memorygateway.ratelimit.window;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.Decision.Shown;
import org.jspecify.annotations.Nullable;

/**
 * Turns counters into decisions: finds the rule that is exceeded, or the one to show (contract §4).
 */
record Decisions(RuleSet rules) {
  /**
   * Allowed error of this node's estimate of the database's time. A full window is not refused from
   * the cache that close to its end, since a request of the next window must not be refused.
   */
  static final long UNCERTAIN_MILLIS = 20;

  /**
   * Decision on an admitted request: shows the rule with the fewest requests left; of several, the
   * last to reset.
   */
  Decision admitted(Outcome outcome, RequestKind kind, long[] limits, long[] starts, long[] used) {
    Shown shown = null;
    for (int i : rules.applicable(kind)) {
      long left = Math.max(0, limits[i] - used[i]);
      long reset = reset(i, starts[i]);
      if (shown == null
          || left < shown.remaining()
          || (left == shown.remaining() && reset > shown.resetEpochSecond())) {
        shown = new Shown(limits[i], left, reset);
      }
    }
    return shown == null ? Decision.UNCOUNTED : new Decision(outcome, shown, 0, null);
  }

  /**
   * Refusal of a request that finds a window full: shows, of the full ones, the last to reset.
   *
   * @param now for {@code Retry-After}; rather too early than too late
   * @param runningUntilAfter a window that ends at or before this does not count as full
   * @return null if no window that counts is full
   */
  @Nullable Decision refused(
      RequestKind kind,
      long[] limits,
      long[] starts,
      long[] used,
      long now,
      long runningUntilAfter) {
    int last = -1;
    long end = runningUntilAfter;
    for (int i : rules.applicable(kind)) {
      long ends = starts[i] + rules.windowMillis(i);
      if (used[i] >= limits[i] && starts[i] >= 0 && ends > end) {
        end = ends;
        last = i;
      }
    }
    if (last < 0) {
      return null;
    }
    long wait = Math.min(Math.max(1, end - now), rules.windowMillis(last));
    return new Decision(
        Outcome.LIMITED,
        new Shown(limits[last], 0, end / 1000),
        (wait + 999) / 1000,
        rules.rule(last));
  }

  /**
   * Decision to show at the end of a request that outlasted the window it was counted in: the
   * windows that run now, as this node last read them; an earlier decision that still holds is
   * returned as it is.
   *
   * @param read counters of the key; null if there are none
   */
  Decision current(
      Decision earlier, RequestKind kind, long[] limits, @Nullable WindowCounts read, long now) {
    Shown shown = earlier.shown();
    if (shown == null || earlier.outcome() == Outcome.LIMITED) {
      return earlier;
    }
    if (shown.resetEpochSecond() * 1000 > now) {
      return earlier;
    }
    long[] starts = new long[rules.size()];
    long[] used = new long[rules.size()];
    for (int i = 0; i < starts.length; i++) {
      starts[i] = rules.windowStart(i, now);
      if (read != null && read.starts()[i] >= starts[i]) {
        starts[i] = read.starts()[i];
        used[i] = read.used()[i];
      }
    }
    return admitted(earlier.outcome(), kind, limits, starts, used);
  }

  /** Decision to show without a key: the scope's tightest rule, with nothing counted. */
  Decision untouched(RequestKind kind, long now) {
    RequestKind scope = kind == RequestKind.OTHER ? RequestKind.LLM : kind;
    long[] starts = new long[rules.size()];
    for (int i = 0; i < starts.length; i++) {
      starts[i] = rules.windowStart(i, now);
    }
    return admitted(Outcome.ALLOWED, scope, rules.limits(), starts, new long[rules.size()]);
  }

  private long reset(int rule, long start) {
    return (start + rules.windowMillis(rule)) / 1000;
  }
}
