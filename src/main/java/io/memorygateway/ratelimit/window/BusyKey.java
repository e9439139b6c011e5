package io.memorygateway.ratelimit.window;

import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A key of which many requests of a kind come: those of them that are counted already, and how many
 * come.
 *
 * <p>{@link #take} and {@link #limits(long[])} are for any thread, all else for the lane's worker.
 */
final class BusyKey {
  /** A shorter time, or fewer requests, do not tell how many come. */
  static final long MEASURED_NANOS = TimeUnit.MICROSECONDS.toNanos(2500);

  static final int MEASURED = 8;

  private static final int NEVER = -1;

  private final long keyId;
  private final RequestKind kind;
  private final Runnable onLow;
  private final Queue<Portion> portions = new ConcurrentLinkedQueue<>();
  private final AtomicInteger held = new AtomicInteger();
  private volatile long[] limits;
  private volatile int low = NEVER;
  private int heldBefore;
  private int came;
  private long measuredAt;
  private double rate;

  /**
   * Holds nothing at first.
   *
   * @param limits of the key, an element per rule
   * @param now as {@link System#nanoTime()}
   * @param rate requests a nanosecond
   * @param onLow called when so few are held that more should be asked for
   */
  BusyKey(long keyId, RequestKind kind, long[] limits, long now, double rate, Runnable onLow) {
    this.keyId = keyId;
    this.kind = kind;
    this.limits = limits;
    this.measuredAt = now;
    this.rate = rate;
    this.onLow = onLow;
  }

  long keyId() {
    return keyId;
  }

  RequestKind kind() {
    return kind;
  }

  /** As the last request brought them. */
  long[] limits() {
    return limits;
  }

  /**
   * A request comes.
   *
   * @param rules that it passes
   * @param latest the database's time, rather too late than too early
   * @return the counters just after it; null if it is not counted yet
   */
  @Nullable Counts take(int[] rules, long latest) {
    for (Portion portion : portions) {
      Counts counts = portion.take(rules, latest);
      if (counts != null) {
        if (held.decrementAndGet() == low) {
          onLow.run();
        }
        return counts;
      }
    }
    return null;
  }

  /** The key has these limits from now on. */
  void limits(long[] newLimits) {
    if (limits != newLimits) {
      limits = newLimits;
    }
  }

  int held() {
    return held.get();
  }

  boolean isLow() {
    return held.get() <= low;
  }

  /** From how many on it is low. */
  void setLow(int few) {
    low = few;
  }

  /** It is not to hold any more than it does. */
  void stop() {
    low = NEVER;
  }

  void add(int requests, Portion portion) {
    heldBefore += requests;
    held.addAndGet(requests);
    portions.add(portion);
  }

  /**
   * Looks how many came since it was measured last.
   *
   * @param waiting of them, how many were not counted yet
   * @param atLeastEvery nanoseconds after which also few tell something
   */
  void measure(int waiting, long now, long atLeastEvery) {
    int left = held.get();
    came += heldBefore - left + waiting;
    heldBefore = left;
    long elapsed = now - measuredAt;
    if (elapsed >= MEASURED_NANOS && (came >= MEASURED || elapsed >= atLeastEvery)) {
      rate = came == 0 ? 0 : (rate + (double) came / elapsed) / 2;
      came = 0;
      measuredAt = now;
    }
  }

  /** How many requests will come within a time. */
  double expected(long nanos) {
    return rate * nanos;
  }

  /**
   * Drops portions that are used up, of windows that end, or beyond what is to be held at most.
   *
   * @param latest the database's time, rather too late than too early
   * @param dropped told of each how many of its requests did not come
   */
  void shrink(int most, long latest, ObjIntConsumer<Portion> dropped) {
    for (Iterator<Portion> all = portions.iterator(); all.hasNext(); ) {
      Portion portion = all.next();
      if (portion.isEmpty() || portion.hasEnded(latest) || held.get() > most) {
        all.remove();
        int rest = portion.close();
        if (rest > 0) {
          heldBefore -= rest;
          held.addAndGet(-rest);
          dropped.accept(portion, rest);
        }
      }
    }
  }
}
