package io.memorygateway.ratelimit.window;

import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.KeyBatch.Reply;
import io.memorygateway.ratelimit.window.WindowStore.Admitted;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Has requests of busy keys counted a moment before they come, so that they need not wait for the
 * database. What does not come is given back.
 *
 * <p>It stays exact because so little is held, for so short a time: a small part of what is left,
 * where much is left, as long as requests come, and nothing towards the end of a window. The others
 * would have to use up {@link #SHARE} times as much within {@link #AHEAD_NANOS} to be refused for
 * it. A node that dies, or stands still until the window ends, takes with it what it holds: too few
 * may be admitted then, never too many.
 *
 * <p>{@link #take} is for any thread, all else for the lane's worker.
 */
final class Prefetch {
  /** For how long what is held is to last: about as long as a commit takes that stalls. */
  private static final long AHEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How often what is held is looked at when nobody asks for it. */
  static final long LOOK_NANOS = AHEAD_NANOS / 2;

  /** Of what is left in the tightest window, at most one part of so many is held. */
  private static final long SHARE = 256;

  /** Fewer are not worth it: keys with small limits, or little to do, are never counted ahead. */
  private static final int FEWEST = 8;

  private static final int MOST = 2048;

  /** Keys that are watched whether they are busy; then all over again. */
  private static final int MOST_WATCHED = 4096;

  private final RuleSet rules;
  private final Verdicts verdicts;
  private final LastSeen lastSeen;
  private final DatabaseClock clock;
  private final LongSupplier nanoTime;
  private final Runnable wakeWorker;
  private final ConcurrentMap<Long, BusyKey> busy = new ConcurrentHashMap<>();
  private final Map<Long, Tally> tallies = new HashMap<>();
  private final List<Admitted> unused = new ArrayList<>();

  /**
   * Holds nothing at first.
   *
   * @param nanoTime as {@link System#nanoTime()}
   * @param wakeWorker called when it is time for {@link #plan}
   */
  Prefetch(
      RuleSet rules,
      LastSeen lastSeen,
      DatabaseClock clock,
      LongSupplier nanoTime,
      Runnable wakeWorker) {
    this.rules = rules;
    this.verdicts = new Verdicts(rules);
    this.lastSeen = lastSeen;
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.wakeWorker = wakeWorker;
  }

  /** The decision on a request that is counted already; null if it has to ask. */
  @Nullable Decision take(long keyId, RequestKind kind, long[] limits) {
    BusyKey key = busy.get(id(keyId, kind));
    if (key == null) {
      return null;
    }
    int[] passed = rules.applicable(kind);
    key.limits(limits);
    Counts seen = lastSeen.get(keyId);
    if (seen != null && exceeds(seen, passed, limits)) {
      // The limit was lowered after these were counted: the worker gives them back.
      return null;
    }
    Counts counts = key.take(passed, latest());
    return counts == null
        ? null
        : verdicts.admitted(Outcome.ALLOWED, kind, limits, counts.starts(), counts.used());
  }

  private static boolean exceeds(Counts seen, int[] rules, long[] limits) {
    for (int i : rules) {
      if (seen.used()[i] > limits[i]) {
        return true;
      }
    }
    return false;
  }

  boolean holdsAny() {
    return !busy.isEmpty();
  }

  /**
   * What to ask for: what waits, and what will come.
   *
   * @return keys ascending
   */
  List<KeyBatch> plan(List<Ticket> waiting) {
    SortedMap<Long, KeyBatch> keys = new TreeMap<>();
    long now = nanoTime.getAsLong();
    for (KeyBatch key : KeyBatch.of(waiting)) {
      keys.put(key.keyId(), key);
      for (RequestKind kind : RequestKind.values()) {
        if (key.wanted(kind) > 0 && !busy.containsKey(id(key.keyId(), kind))) {
          watch(key, kind, now);
        }
      }
    }
    boolean asking = !waiting.isEmpty() || busy.values().stream().anyMatch(BusyKey::isLow);
    for (BusyKey key : busy.values()) {
      KeyBatch own = keys.get(key.keyId());
      int more = refill(key, own == null ? 0 : own.wanted(key.kind()), asking, now);
      if (more > 0) {
        keys.computeIfAbsent(key.keyId(), id -> new KeyBatch(id, key.limits()))
            .wantAhead(key.kind(), more);
      }
    }
    return List.copyOf(keys.values());
  }

  /** What came of {@link #plan}. */
  void granted(KeyBatch batch, Reply reply) {
    for (RequestKind kind : RequestKind.values()) {
      BusyKey key = busy.get(id(batch.keyId(), kind));
      int spare = batch.spare(kind, reply);
      if (key != null && spare > 0) {
        key.add(spare, new Portion(spare, reply.counts(), end(kind, reply.counts().starts())));
      }
    }
  }

  /** What is to be given back to the shared windows; told once. */
  List<Admitted> takeUnused() {
    List<Admitted> all = List.copyOf(unused);
    unused.clear();
    return all;
  }

  /** Holds nothing any more. */
  void release() {
    for (BusyKey key : busy.values()) {
      busy.remove(id(key.keyId(), key.kind()));
      shrink(key, 0);
    }
  }

  /** A key is busy once many come at more than one time: a single burst says nothing. */
  private void watch(KeyBatch key, RequestKind kind, long now) {
    long id = id(key.keyId(), kind);
    Tally tally = tallies.get(id);
    if (tally == null || now - tally.since > LOOK_NANOS) {
      if (tallies.size() >= MOST_WATCHED) {
        tallies.clear();
      }
      tallies.put(id, new Tally(now));
      return;
    }
    tally.came += key.wanted(kind);
    long elapsed = now - tally.since;
    if (tally.came >= BusyKey.MEASURED && elapsed >= BusyKey.MEASURED_NANOS) {
      tallies.remove(id);
      double rate = (double) tally.came / elapsed;
      busy.put(id, new BusyKey(key.keyId(), kind, key.limits(), now, rate, wakeWorker));
    }
  }

  /**
   * How many more to ask for; what is too much already, or too old, is to be given back.
   *
   * @param asking whether there is a transaction in any case: one for many costs the least
   */
  private int refill(BusyKey key, int waiting, boolean asking, long now) {
    key.measure(waiting, now, LOOK_NANOS);
    double expected = key.expected(AHEAD_NANOS);
    long most = mostAllowed(key);
    shrink(key, most < 0 ? 0 : (int) (2 * expected));
    int held = key.held();
    int wanted = (int) Math.min(most, (long) expected);
    if (wanted < FEWEST) {
      key.stop();
      if (held == 0) {
        busy.remove(id(key.keyId(), key.kind()));
      }
      return 0;
    }
    key.setLow(wanted / 2);
    int below = asking ? wanted * 3 / 4 : wanted / 2;
    return held <= below ? wanted - held : 0;
  }

  private void shrink(BusyKey key, int most) {
    key.shrink(
        most,
        latest(),
        (portion, rest) ->
            unused.add(new Admitted(key.keyId(), counts(key.kind(), portion, rest))));
  }

  /**
   * By the windows of a key as this node saw them last; nothing towards the end of one, and less
   * than nothing if more is counted than a limit that was lowered allows.
   */
  private long mostAllowed(BusyKey key) {
    Counts seen = lastSeen.get(key.keyId());
    long nearEnd = latest() + AHEAD_NANOS / 1_000_000;
    if (seen == null || nearEnd >= end(key.kind(), seen.starts())) {
      return 0;
    }
    long left = MOST * SHARE;
    long[] limits = key.limits();
    for (int i : rules.applicable(key.kind())) {
      left = Math.min(left, limits[i] - seen.used()[i]);
    }
    return Math.floorDiv(left, SHARE);
  }

  private Counts counts(RequestKind kind, Portion portion, int requests) {
    long[] used = new long[rules.size()];
    for (int i : rules.applicable(kind)) {
      used[i] = requests;
    }
    return new Counts(portion.starts(), used);
  }

  private long end(RequestKind kind, long[] starts) {
    long end = Long.MAX_VALUE;
    for (int i : rules.applicable(kind)) {
      end = Math.min(end, starts[i] + rules.windowMillis(i));
    }
    return end;
  }

  /** The database's time, rather too late than too early. */
  private long latest() {
    return clock.latest() + Verdicts.DOUBTFUL_MILLIS;
  }

  private static long id(long keyId, RequestKind kind) {
    return keyId * RequestKind.values().length + kind.index();
  }

  /** How many came of a key after its first ones. */
  private static final class Tally {
    private final long since;
    private int came;

    Tally(long since) {
      this.since = since;
    }
  }
}
