package io.memorygateway.ratelimit.window;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.KeyBatch.Reply;
import io.memorygateway.ratelimit.window.WindowStore.Adjustment;
import io.memorygateway.ratelimit.window.WindowStore.Returned;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reserves permits for keys in use, as many as their measured rate needs, so that their requests
 * need not wait for the database, and returns those that are not used.
 *
 * <p>It stays exact because what is held comes back when it is needed elsewhere: a node that finds
 * a window full asks for it, and refuses nobody until it has it ({@link Holders}). The permits of a
 * node that dies, or is suspended until the window ends, are lost: too few requests may be admitted
 * then, never too many; so only a small part of what is left is reserved, and none near the end of
 * a window.
 */
final class MeasuredReservations implements Reservations {
  /** Time for which a reservation should last: about as long as a commit that stalls. */
  private static final long RESERVED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Remaining requests in the tightest window for each permit that may be reserved. */
  private static final long LEFT_PER_PERMIT = 32;

  /** Permits for a key whose calls are further apart, so that some are there for two at once. */
  private static final int FEW_PERMITS = 4;

  private static final int MAX_PERMITS = 2048;

  /** Time between two requests of a key beyond which nothing is held for it. */
  private static final long APART_NANOS = TimeUnit.MILLISECONDS.toNanos(2500);

  /** Time between two looks at all keys. */
  private static final long ALL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final RuleSet rules;
  private final Decisions decisions;
  private final WindowCache cache;
  private final DatabaseClock clock;
  private final LongSupplier nanoTime;
  private final Runnable wakeWorker;
  private final int maxMeasured;
  private final ConcurrentMap<Long, KeyReservations> measured = new ConcurrentHashMap<>();
  private final ConcurrentMap<Long, UsedWindows> used = new ConcurrentHashMap<>();
  private final Queue<KeyReservations> low = new ConcurrentLinkedQueue<>();
  private final Set<Long> announced = new HashSet<>();
  private final Set<Long> ended = new HashSet<>();
  private final List<Adjustment> unused = new ArrayList<>();

  /** The rules, a bit each, of what is unused, by key. */
  private final Map<Long, Integer> unusedRules = new HashMap<>();

  private long lookedAt;

  /**
   * @param nanoTime as {@link System#nanoTime()}
   * @param wakeWorker called when it is time for {@link #plan}
   * @param maxMeasured most keys and kinds whose rate is measured; 0: nothing is reserved
   */
  MeasuredReservations(
      RuleSet rules,
      WindowCache cache,
      DatabaseClock clock,
      LongSupplier nanoTime,
      Runnable wakeWorker,
      int maxMeasured) {
    this.rules = rules;
    this.decisions = new Decisions(rules);
    this.cache = cache;
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.wakeWorker = wakeWorker;
    this.maxMeasured = maxMeasured;
    this.lookedAt = nanoTime.getAsLong() - ALL_NANOS;
  }

  @Override
  public @Nullable Decision take(long keyId, RequestKind kind, long[] limits) {
    KeyReservations key = measured.get(id(keyId, kind));
    UsedWindows windows = used.get(keyId);
    if (key == null || windows == null) {
      return null;
    }
    int[] applicable = rules.applicable(kind);
    key.limits(limits);
    WindowCounts cached = cache.get(keyId);
    if (cached != null && exceeds(cached, applicable, limits)) {
      // The limit was lowered after these permits were counted; the worker returns them.
      return null;
    }
    synchronized (windows) {
      return key.take(latest())
          ? decisions.admitted(
              Outcome.ALLOWED, kind, limits, windows.starts(), windows.count(applicable))
          : null;
    }
  }

  private static boolean exceeds(WindowCounts counts, int[] rules, long[] limits) {
    for (int i : rules) {
      if (counts.used()[i] > limits[i]) {
        return true;
      }
    }
    return false;
  }

  @Override
  public long[] held(long keyId) {
    long[] held = new long[rules.size()];
    for (RequestKind kind : RequestKind.values()) {
      KeyReservations key = measured.get(id(keyId, kind));
      if (key != null) {
        for (int i : rules.applicable(kind)) {
          held[i] += key.permits();
        }
      }
    }
    return held;
  }

  @Override
  public int returnable(long keyId) {
    int bits = unusedRules.getOrDefault(keyId, 0);
    long[] held = held(keyId);
    for (int i = 0; i < held.length; i++) {
      bits |= held[i] > 0 ? 1 << i : 0;
    }
    return bits;
  }

  @Override
  public boolean isEmpty() {
    return measured.isEmpty();
  }

  @Override
  public boolean isAnnounced() {
    return !announced.isEmpty();
  }

  @Override
  public List<KeyBatch> plan(List<PermitRequest> waiting) {
    SortedMap<Long, KeyBatch> batches = new TreeMap<>();
    Set<KeyReservations> looked = new HashSet<>();
    long now = nanoTime.getAsLong();
    if (now - lookedAt >= ALL_NANOS) {
      lookedAt = now;
      looked.addAll(measured.values());
    }
    for (KeyBatch batch : KeyBatch.of(waiting)) {
      batches.put(batch.keyId(), batch);
      for (RequestKind kind : RequestKind.values()) {
        KeyReservations key = batch.wanted(kind) == 0 ? null : measured(batch, kind, now);
        if (key != null) {
          looked.add(key);
        }
      }
    }
    for (KeyReservations key = low.poll(); key != null; key = low.poll()) {
      looked.add(key);
    }
    boolean transaction = !waiting.isEmpty() || looked.stream().anyMatch(KeyReservations::isLow);
    for (KeyReservations key : looked) {
      KeyBatch batch = batches.get(key.keyId());
      int more = missing(key, batch == null ? 0 : batch.wanted(key.kind()), transaction, now);
      if (more > 0) {
        batches
            .computeIfAbsent(key.keyId(), id -> new KeyBatch(id, key.limits()))
            .reserve(key.kind(), more, !key.isAnnounced());
      }
    }
    return List.copyOf(batches.values());
  }

  /** The reservations of a key of which requests wait; null if too many keys are measured. */
  private @Nullable KeyReservations measured(KeyBatch batch, RequestKind kind, long now) {
    long id = id(batch.keyId(), kind);
    KeyReservations known = measured.get(id);
    if (known != null || measured.size() >= maxMeasured) {
      return known;
    }
    measured.put(id, new KeyReservations(batch.keyId(), kind, batch.limits(), now, this::runLow));
    // Not looked at yet: a rate takes requests at two times, and a burst is none.
    return null;
  }

  private void runLow(KeyReservations key) {
    low.add(key);
    wakeWorker.run();
  }

  @Override
  public long[] granted(KeyBatch batch, Reply reply) {
    long keyId = batch.keyId();
    long[] starts = reply.counts().starts();
    UsedWindows windows =
        isMeasured(keyId)
            ? used.computeIfAbsent(keyId, id -> new UsedWindows())
            : new UsedWindows();
    // A request that takes a permit meanwhile is counted before or after all of it.
    synchronized (windows) {
      for (RequestKind kind : RequestKind.values()) {
        KeyReservations key = measured.get(id(keyId, kind));
        if (key != null && batch.isReserving(kind)) {
          key.announced(true);
          announced.add(keyId);
          int reserved = batch.reserved(kind, reply);
          key.add(reserved, new Reservation(reserved, starts, end(kind, starts)));
        }
      }
      long[] ahead = ahead(keyId, starts);
      windows.read(reply.counts(), ahead);
      return ahead;
    }
  }

  private boolean isMeasured(long keyId) {
    return Arrays.stream(RequestKind.values())
        .anyMatch(kind -> measured.containsKey(id(keyId, kind)));
  }

  /** Permits that are counted in such windows and held, or have yet to be returned, by rule. */
  private long[] ahead(long keyId, long[] starts) {
    long[] ahead = new long[rules.size()];
    for (RequestKind kind : RequestKind.values()) {
      KeyReservations key = measured.get(id(keyId, kind));
      if (key != null) {
        for (int i : rules.applicable(kind)) {
          ahead[i] += key.permits(i, starts[i]);
        }
      }
    }
    if (unusedRules.containsKey(keyId)) {
      for (Adjustment each : unused) {
        for (int i = 0; i < ahead.length && each.keyId() == keyId; i++) {
          ahead[i] += each.counts().starts()[i] == starts[i] ? each.counts().used()[i] : 0;
        }
      }
    }
    return ahead;
  }

  @Override
  public void recalled(Collection<Long> keys) {
    for (long keyId : keys) {
      // What is known of its windows is out of date: others have filled one.
      cache.remove(keyId);
      for (RequestKind kind : RequestKind.values()) {
        KeyReservations key = measured.get(id(keyId, kind));
        if (key != null) {
          shrink(key, 0);
          key.announced(false);
        }
      }
      // Also if this node knows of none: the answer of the transaction may have been lost.
      announced.add(keyId);
      ended.add(keyId);
    }
  }

  @Override
  public Returned drainUnused() {
    Set<Long> keys = new HashSet<>();
    for (long keyId : ended) {
      if (!isHolding(keyId) && announced.remove(keyId)) {
        keys.add(keyId);
      }
    }
    ended.clear();
    Returned all = new Returned(List.copyOf(unused), keys);
    unused.clear();
    unusedRules.clear();
    return all;
  }

  private boolean isHolding(long keyId) {
    for (RequestKind kind : RequestKind.values()) {
      KeyReservations key = measured.get(id(keyId, kind));
      if (key != null && key.isAnnounced()) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void release() {
    for (KeyReservations key : measured.values()) {
      shrink(key, 0);
      remove(key);
    }
  }

  private void remove(KeyReservations key) {
    measured.remove(id(key.keyId(), key.kind()));
    ended.add(key.keyId());
    if (!isMeasured(key.keyId())) {
      used.remove(key.keyId());
    }
  }

  /**
   * The number of permits to reserve in addition to those held; ends reservations that are too many
   * or too old.
   *
   * @param transaction whether there will be one anyway: one for many keys costs the least
   */
  private int missing(KeyReservations key, int waiting, boolean transaction, long now) {
    key.measure(waiting, now);
    boolean inUse = key.expected(APART_NANOS, now) >= 1;
    int expected = (int) Math.max(FEW_PERMITS, key.expected(RESERVED_NANOS, now));
    long max = maxAllowed(key);
    shrink(key, max < 0 || !inUse ? 0 : 2 * expected);
    int held = key.permits();
    if (!inUse && held == 0 && key.isIdle(APART_NANOS, now)) {
      remove(key);
    }
    int wanted = inUse ? (int) Math.min(max, expected) : 0;
    if (wanted < 1) {
      key.clearLowWatermark();
      return 0;
    }
    key.setLowWatermark(wanted / 2);
    if (waiting == 0 && !key.isAnnounced()) {
      // A first reservation has no transaction of its own.
      return 0;
    }
    int below = transaction ? wanted * 3 / 4 : wanted / 2;
    return held <= below ? wanted - held : 0;
  }

  private void shrink(KeyReservations key, int max) {
    key.shrink(
        max,
        latest(),
        (reservation, permits) -> {
          unused.add(new Adjustment(key.keyId(), counts(key.kind(), reservation, permits)));
          unusedRules.merge(key.keyId(), rules.bits(key.kind()), (before, more) -> before | more);
        });
  }

  /**
   * The most permits that may be reserved, by the key's cached windows: none near the end of one,
   * and a negative number if more is counted than a lowered limit allows.
   */
  private long maxAllowed(KeyReservations key) {
    WindowCounts cached = cache.get(key.keyId());
    if (cached == null) {
      return 0;
    }
    long nearEnd = latest() + RESERVED_NANOS / 1_000_000;
    long begun = clock.earliest() - Decisions.UNCERTAIN_MILLIS;
    long left = MAX_PERMITS * LEFT_PER_PERMIT;
    long[] limits = key.limits();
    for (int i : rules.applicable(key.kind())) {
      long end = cached.starts()[i] + rules.windowMillis(i);
      if (begun < end && nearEnd >= end) {
        return 0;
      }
      left = Math.min(left, limits[i] - (begun < end ? cached.used()[i] : 0));
    }
    return Math.floorDiv(left, LEFT_PER_PERMIT);
  }

  private WindowCounts counts(RequestKind kind, Reservation reservation, int permits) {
    long[] used = new long[rules.size()];
    for (int i : rules.applicable(kind)) {
      used[i] = permits;
    }
    return new WindowCounts(reservation.starts(), used);
  }

  private long end(RequestKind kind, long[] starts) {
    long end = Long.MAX_VALUE;
    for (int i : rules.applicable(kind)) {
      end = Math.min(end, starts[i] + rules.windowMillis(i));
    }
    return end;
  }

  private long latest() {
    return clock.latest() + Decisions.UNCERTAIN_MILLIS;
  }

  private static long id(long keyId, RequestKind kind) {
    return keyId * RequestKind.values().length + kind.index();
  }
}
