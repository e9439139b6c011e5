package io.memorygateway.ratelimit.window;

import io.memorygateway.http.api.RequestKind;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;

/**
 * Reservations of one key and kind, with the measured rate of its requests.
 *
 * <p>{@link #take} and {@link #limits(long[])} are for any thread, all else for the lane's worker.
 */
final class KeyReservations {
  /** A shorter time, or fewer requests, give no rate. */
  static final long MEASURED_NANOS = TimeUnit.MICROSECONDS.toNanos(2500);

  static final int MEASURED_REQUESTS = 8;

  private static final long PAUSE_NANOS = 2 * Reservations.CHECK_NANOS;

  private static final int NEVER = -1;

  private final long keyId;
  private final RequestKind kind;
  private final Consumer<KeyReservations> onLow;
  private final Queue<Reservation> reservations = new ConcurrentLinkedQueue<>();
  private final AtomicInteger permits = new AtomicInteger();
  private volatile long[] limits;
  private volatile int lowWatermark = NEVER;
  private int permitsMeasured;
  private int arrived;
  private long measuredAt;
  private double requestsPerNano;
  private boolean announced;

  /**
   * @param limits of the key, by rule
   * @param now as {@link System#nanoTime()}
   * @param onLow called when the permits fall to the low watermark
   */
  KeyReservations(
      long keyId, RequestKind kind, long[] limits, long now, Consumer<KeyReservations> onLow) {
    this.keyId = keyId;
    this.kind = kind;
    this.limits = limits;
    this.measuredAt = now;
    this.onLow = onLow;
  }

  long keyId() {
    return keyId;
  }

  RequestKind kind() {
    return kind;
  }

  /** Limits of the key, by rule, from its last request. */
  long[] limits() {
    return limits;
  }

  /**
   * Takes one permit for a request; false if none is left.
   *
   * @param latest the upper bound of the database's time
   */
  boolean take(long latest) {
    for (Reservation reservation : reservations) {
      if (reservation.take(latest)) {
        if (permits.decrementAndGet() == lowWatermark) {
          onLow.accept(this);
        }
        return true;
      }
    }
    return false;
  }

  void limits(long[] newLimits) {
    if (limits != newLimits) {
      limits = newLimits;
    }
  }

  int permits() {
    return permits.get();
  }

  /** Permits that are counted in such a window of a rule. */
  long permits(int rule, long start) {
    return reservations.stream().mapToLong(reservation -> reservation.left(rule, start)).sum();
  }

  boolean isLow() {
    return permits.get() <= lowWatermark;
  }

  void setLowWatermark(int few) {
    lowWatermark = few;
  }

  /** Disables the low watermark, so that the permits run out. */
  void clearLowWatermark() {
    lowWatermark = NEVER;
  }

  /** Whether the other nodes were told that this one holds permits. */
  boolean isAnnounced() {
    return announced;
  }

  void announced(boolean told) {
    announced = told;
  }

  void add(int granted, Reservation reservation) {
    permitsMeasured += granted;
    permits.addAndGet(granted);
    reservations.add(reservation);
  }

  /**
   * Updates the rate by the requests that arrived since the last measurement.
   *
   * @param waiting requests that had no permit and wait for a batch
   */
  void measure(int waiting, long now) {
    int left = permits.get();
    arrived += permitsMeasured - left + waiting;
    permitsMeasured = left;
    long elapsed = now - measuredAt;
    if (elapsed >= MEASURED_NANOS
        && (arrived >= MEASURED_REQUESTS || (arrived > 0 && elapsed >= Reservations.CHECK_NANOS))) {
      double latest = (double) arrived / elapsed;
      requestsPerNano = requestsPerNano == 0 ? latest : (requestsPerNano + latest) / 2;
      arrived = 0;
      measuredAt = now;
    }
  }

  /** Requests expected within a time: fewer, the longer none has come, beyond a pause. */
  double expected(long nanos, long now) {
    double atMost = (arrived + 1.0) / Math.max(1, now - measuredAt - PAUSE_NANOS);
    return Math.min(requestsPerNano, atMost) * nanos;
  }

  /** Whether no request has come for so long. */
  boolean isIdle(long nanos, long now) {
    return arrived == 0 && now - measuredAt > nanos;
  }

  /**
   * Drops reservations that are used up, whose window has ended, or beyond a number of permits.
   *
   * @param max permits to hold at most
   * @param latest the upper bound of the database's time
   * @param dropped called for each with the number of its unused permits
   */
  void shrink(int max, long latest, ObjIntConsumer<Reservation> dropped) {
    for (Iterator<Reservation> all = reservations.iterator(); all.hasNext(); ) {
      Reservation reservation = all.next();
      if (reservation.isEmpty() || reservation.hasEnded(latest) || permits.get() > max) {
        all.remove();
        int unused = reservation.close();
        if (unused > 0) {
          permitsMeasured -= unused;
          permits.addAndGet(-unused);
          dropped.accept(reservation, unused);
        }
      }
    }
  }
}
