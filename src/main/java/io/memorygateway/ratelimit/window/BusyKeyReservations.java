package io.memorygateway.ratelimit.window;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.KeyBatch.Reply;
import io.memorygateway.ratelimit.window.WindowStore.Adjustment;
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
 * Reserves permits for busy keys, so that their requests need not wait for the database, and
 * returns those that are not used.
 *
 * <p>It stays exact because few permits are reserved, and briefly: only where much is left, a small
 * part of that, while requests arrive, and none near the end of a window. The other nodes would
 * have to use {@link #LEFT_PER_PERMIT} times as many within {@link #RESERVED_NANOS} to be refused
 * for it. The permits of a node that dies, or is suspended until the window ends, are lost: too few
 * requests may be admitted then, never too many.
 */
final class BusyKeyReservations implements Reservations {
  /** Time for which a reservation should last: about as long as a commit that stalls. */
  private static final long RESERVED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Remaining requests in the tightest window for each permit that may be reserved. */
  private static final long LEFT_PER_PERMIT = 256;

  /** Smallest reservation: nothing is reserved for keys with small limits or few requests. */
  private static final int MIN_PERMITS = 8;

  private static final int MAX_PERMITS = 2048;

  /** Most keys whose rate is measured; beyond, all measurements start anew. */
  private static final int MAX_MEASURED = 4096;

  private final RuleSet rules;
  private final Decisions decisions;
  private final WindowCache cache;
  private final DatabaseClock clock;
  private final LongSupplier nanoTime;
  private final Runnable wakeWorker;
  private final ConcurrentMap<Long, KeyReservations> busy = new ConcurrentHashMap<>();
  private final Map<Long, Arrivals> arrivals = new HashMap<>();
  private final List<Adjustment> unused = new ArrayList<>();

  /**
   * Creates an instance without reservations.
   *
   * @param nanoTime as {@link System#nanoTime()}
   * @param wakeWorker called when it is time for {@link #plan}
   */
  BusyKeyReservations(
      RuleSet rules,
      WindowCache cache,
      DatabaseClock clock,
      LongSupplier nanoTime,
      Runnable wakeWorker) {
    this.rules = rules;
    this.decisions = new Decisions(rules);
    this.cache = cache;
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.wakeWorker = wakeWorker;
  }

  @Override
  public @Nullable Decision take(long keyId, RequestKind kind, long[] limits) {
    KeyReservations key = busy.get(id(keyId, kind));
    if (key == null) {
      return null;
    }
    int[] applicable = rules.applicable(kind);
    key.limits(limits);
    WindowCounts cached = cache.get(keyId);
    if (cached != null && exceeds(cached, applicable, limits)) {
      // The limit was lowered after these permits were counted; the worker returns them.
      return null;
    }
    WindowCounts counts = key.take(applicable, latest());
    return counts == null
        ? null
        : decisions.admitted(Outcome.ALLOWED, kind, limits, counts.starts(), counts.used());
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
  public boolean isEmpty() {
    return busy.isEmpty();
  }

  @Override
  public List<KeyBatch> plan(List<PermitRequest> waiting) {
    SortedMap<Long, KeyBatch> batches = new TreeMap<>();
    long now = nanoTime.getAsLong();
    for (KeyBatch batch : KeyBatch.of(waiting)) {
      batches.put(batch.keyId(), batch);
      for (RequestKind kind : RequestKind.values()) {
        if (batch.wanted(kind) > 0 && !busy.containsKey(id(batch.keyId(), kind))) {
          measureArrivals(batch, kind, now);
        }
      }
    }
    boolean transaction =
        !waiting.isEmpty() || busy.values().stream().anyMatch(KeyReservations::isLow);
    for (KeyReservations key : busy.values()) {
      KeyBatch batch = batches.get(key.keyId());
      int more = missing(key, batch == null ? 0 : batch.wanted(key.kind()), transaction, now);
      if (more > 0) {
        batches
            .computeIfAbsent(key.keyId(), id -> new KeyBatch(id, key.limits()))
            .reserve(key.kind(), more);
      }
    }
    return List.copyOf(batches.values());
  }

  @Override
  public void granted(KeyBatch batch, Reply reply) {
    for (RequestKind kind : RequestKind.values()) {
      KeyReservations key = busy.get(id(batch.keyId(), kind));
      int reserved = batch.reserved(kind, reply);
      if (key != null && reserved > 0) {
        WindowCounts counts = reply.counts();
        key.add(reserved, new Reservation(reserved, counts, end(kind, counts.starts())));
      }
    }
  }

  @Override
  public List<Adjustment> drainUnused() {
    List<Adjustment> all = List.copyOf(unused);
    unused.clear();
    return all;
  }

  @Override
  public void release() {
    for (KeyReservations key : busy.values()) {
      busy.remove(id(key.keyId(), key.kind()));
      shrink(key, 0);
    }
  }

  /**
   * Finds busy keys: many requests must arrive at different times; a single burst does not count.
   */
  private void measureArrivals(KeyBatch batch, RequestKind kind, long now) {
    long id = id(batch.keyId(), kind);
    Arrivals measured = arrivals.get(id);
    if (measured == null || now - measured.since > CHECK_NANOS) {
      if (arrivals.size() >= MAX_MEASURED) {
        arrivals.clear();
      }
      arrivals.put(id, new Arrivals(now));
      return;
    }
    measured.requests += batch.wanted(kind);
    long elapsed = now - measured.since;
    if (measured.requests >= KeyReservations.MEASURED_REQUESTS
        && elapsed >= KeyReservations.MEASURED_NANOS) {
      arrivals.remove(id);
      double requestsPerNano = (double) measured.requests / elapsed;
      busy.put(
          id,
          new KeyReservations(
              batch.keyId(), kind, batch.limits(), now, requestsPerNano, wakeWorker));
    }
  }

  /**
   * The number of permits to reserve in addition to those held; ends reservations that are too many
   * or too old.
   *
   * @param transaction whether there will be one anyway: one for many keys costs the least
   */
  private int missing(KeyReservations key, int waiting, boolean transaction, long now) {
    key.measure(waiting, now, CHECK_NANOS);
    double expected = key.expected(RESERVED_NANOS);
    long max = maxAllowed(key);
    shrink(key, max < 0 ? 0 : (int) (2 * expected));
    int held = key.permits();
    int wanted = (int) Math.min(max, (long) expected);
    if (wanted < MIN_PERMITS) {
      key.clearLowWatermark();
      if (held == 0) {
        busy.remove(id(key.keyId(), key.kind()));
      }
      return 0;
    }
    key.setLowWatermark(wanted / 2);
    int below = transaction ? wanted * 3 / 4 : wanted / 2;
    return held <= below ? wanted - held : 0;
  }

  private void shrink(KeyReservations key, int max) {
    key.shrink(
        max,
        latest(),
        (reservation, permits) ->
            unused.add(new Adjustment(key.keyId(), counts(key.kind(), reservation, permits))));
  }

  /**
   * The most permits that may be reserved, by the key's cached windows: none near the end of one,
   * and a negative number if more is counted than a lowered limit allows.
   */
  private long maxAllowed(KeyReservations key) {
    WindowCounts cached = cache.get(key.keyId());
    long nearEnd = latest() + RESERVED_NANOS / 1_000_000;
    if (cached == null || nearEnd >= end(key.kind(), cached.starts())) {
      return 0;
    }
    long left = MAX_PERMITS * LEFT_PER_PERMIT;
    long[] limits = key.limits();
    for (int i : rules.applicable(key.kind())) {
      left = Math.min(left, limits[i] - cached.used()[i]);
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

  /** Requests of a key and kind that arrived since a time. */
  private static final class Arrivals {
    private final long since;
    private int requests;

    Arrivals(long since) {
      this.since = since;
    }
  }
}
