package io.memorygateway.ratelimit.window;

import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.WindowStore.Admitted;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Counts on this node alone while the shared windows cannot be reached, and remembers what to add
 * to them. Open or closed: closed, it decides nothing.
 */
final class LocalWindows {
  private final RuleSet rules;
  private final Verdicts verdicts;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Long, Tally> tallies = new HashMap<>();
  private boolean open;

  private static final class Tally {
    final long[] starts;
    final long[] used;
    final long[] unsent;

    Tally(int rules) {
      starts = new long[rules];
      used = new long[rules];
      unsent = new long[rules];
      Arrays.fill(starts, -1);
    }
  }

  LocalWindows(RuleSet rules, Verdicts verdicts) {
    this.rules = rules;
    this.verdicts = verdicts;
  }

  /** Opens it; returns whether it was closed. */
  boolean open() {
    lock.lock();
    try {
      boolean opened = !open;
      open = true;
      return opened;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Decides by this node's count, which goes on from what was last seen in the shared window.
   *
   * @return null if closed
   */
  @Nullable Decision decide(
      long keyId, RequestKind kind, long[] limits, long now, @Nullable Counts lastSeen) {
    lock.lock();
    try {
      if (!open) {
        return null;
      }
      Tally tally = tallies.computeIfAbsent(keyId, id -> new Tally(rules.size()));
      int[] applicable = rules.applicable(kind);
      for (int i : applicable) {
        roll(tally, i, now, lastSeen);
      }
      Decision refused = verdicts.refused(kind, limits, tally.starts, tally.used, now, 0);
      if (refused != null) {
        return refused;
      }
      for (int i : applicable) {
        tally.used[i]++;
        tally.unsent[i]++;
      }
      return verdicts.admitted(Outcome.LOCAL, kind, limits, tally.starts, tally.used);
    } finally {
      lock.unlock();
    }
  }

  private void roll(Tally tally, int rule, long now, @Nullable Counts lastSeen) {
    long start = rules.windowStart(rule, now);
    if (tally.starts[rule] < start) {
      tally.starts[rule] = start;
      tally.used[rule] =
          lastSeen != null && lastSeen.starts()[rule] == start ? lastSeen.used()[rule] : 0;
      tally.unsent[rule] = 0;
    }
  }

  /** Takes what was admitted in windows that still run and has not been taken before. */
  List<Admitted> take(long now) {
    lock.lock();
    try {
      List<Admitted> admitted = new ArrayList<>();
      tallies.forEach(
          (keyId, tally) -> {
            Counts counts = unsent(tally, now);
            if (Arrays.stream(counts.used()).anyMatch(used -> used > 0)) {
              admitted.add(new Admitted(keyId, counts));
            }
            Arrays.fill(tally.unsent, 0);
          });
      return admitted;
    } finally {
      lock.unlock();
    }
  }

  /** Closes, forgets, and takes the rest. */
  List<Admitted> close(long now) {
    lock.lock();
    try {
      List<Admitted> rest = take(now);
      tallies.clear();
      open = false;
      return rest;
    } finally {
      lock.unlock();
    }
  }

  /** Puts back what could not be added to the shared windows. */
  void restore(List<Admitted> admitted) {
    lock.lock();
    try {
      for (Admitted key : admitted) {
        Tally tally = tallies.computeIfAbsent(key.keyId(), id -> new Tally(rules.size()));
        for (int i = 0; i < rules.size(); i++) {
          long start = key.counts().starts()[i];
          long used = key.counts().used()[i];
          if (tally.starts[i] < start) {
            tally.starts[i] = start;
            tally.used[i] = used;
            tally.unsent[i] = used;
          } else if (tally.starts[i] == start) {
            tally.unsent[i] += used;
          }
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private Counts unsent(Tally tally, long now) {
    long[] starts = new long[rules.size()];
    long[] used = new long[rules.size()];
    for (int i = 0; i < starts.length; i++) {
      boolean runs = tally.starts[i] + rules.windowMillis(i) > now && tally.unsent[i] > 0;
      starts[i] = runs ? tally.starts[i] : -1;
      used[i] = runs ? tally.unsent[i] : 0;
    }
    return new Counts(starts, used);
  }
}
