package io.memorygateway.concurrent;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Budget of the heap that work on this node may hold, in bytes: request bodies and what is derived
 * from them, tails of threads that turns read, responses built from the database, upstream
 * responses that are collected or assembled, messages that are observed. Work reserves before it
 * allocates, with a weight that reflects the heap really taken.
 *
 * <p>Small reservations are counted, too, but a quarter of the budget is for them alone: large ones
 * never keep them out. One key holds at most half, or one body of the largest size if that is more.
 * Background work, which may hold heap for minutes, has a separate quarter in addition.
 */
public final class HeapBudget {
  /** The key of work that no caller waits for. */
  public static final long BACKGROUND = -1;

  /** Bytes up to which a reservation counts as small: those of a request body of 64 KiB. */
  private static final long SMALL = 384L << 10;

  private static final Logger LOGGER = LoggerFactory.getLogger(HeapBudget.class);
  private static final long LOG_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final long total;
  private final long forLarge;
  private final long forOneKey;
  private final long forBackground;
  private final Semaphore growing = new Semaphore(1);
  private final AtomicLong held = new AtomicLong();
  private final ConcurrentHashMap<Long, Long> heldByKey = new ConcurrentHashMap<>();
  private final AtomicLong loggedNanos = new AtomicLong(System.nanoTime() - LOG_INTERVAL_NANOS);
  private final Counter refused;

  /**
   * Creates an empty budget.
   *
   * @param bytes of the heap; raised if the largest reservation would not fit
   * @param largest bytes that one request must be able to reserve
   */
  public HeapBudget(long bytes, long largest, PrometheusRegistry registry) {
    this.total = Math.max(bytes, largest + largest / 3 + 1);
    this.forLarge = total - total / 4;
    this.forOneKey = Math.max(total / 2, largest);
    this.forBackground = total / 4;
    this.refused =
        Counter.builder()
            .name("memory_gateway_bodies_refused_total")
            .help("Reservations that were refused because work holds all the heap that it may.")
            .labelNames("because_of")
            .register(registry);
    refused.initLabelValues("node");
    refused.initLabelValues("key");
    GaugeWithCallback.builder()
        .name("memory_gateway_bodies_bytes")
        .help("Heap that work in progress is counted with, and the most it may be.")
        .labelNames("state")
        .callback(
            gauge -> {
              gauge.call((double) held.get(), "held");
              gauge.call((double) heldByKey.getOrDefault(BACKGROUND, 0L), "background");
              gauge.call((double) total, "max");
            })
        .register(registry);
  }

  /** Bytes that are held at the moment, without those of background work. */
  public long held() {
    return held.get();
  }

  /** Permit to wait while more and more is reserved, of which there is one. */
  Semaphore growing() {
    return growing;
  }

  /** The number of keys for which something is held at the moment. */
  public int keys() {
    return heldByKey.size();
  }

  /** Bytes that a key may hold at most. */
  long maxOf(long key) {
    return key == BACKGROUND ? forBackground : forOneKey;
  }

  /**
   * Takes all of the bytes, or none.
   *
   * @param key {@code api_keys.id}, or {@link #BACKGROUND}
   * @param holds bytes that the reservation holds then
   * @param last whether a refusal is final: then it is counted and logged
   */
  boolean take(long key, long bytes, long holds, boolean last) {
    if (key != BACKGROUND && !takeOfNode(bytes, holds <= SMALL ? total : forLarge)) {
      refuse("node", last);
      return false;
    }
    boolean[] taken = new boolean[1];
    heldByKey.compute(
        key,
        (id, before) -> {
          long already = before == null ? 0 : before;
          taken[0] = already + bytes <= maxOf(key);
          return taken[0] ? Long.valueOf(already + bytes) : before;
        });
    if (!taken[0]) {
      releaseToNode(key, bytes);
      // Background work tries again later, so its refusals are not reported.
      refuse("key", last && key != BACKGROUND);
    }
    return taken[0];
  }

  private boolean takeOfNode(long bytes, long max) {
    for (long now = held.get(); now + bytes <= max; now = held.get()) {
      if (held.compareAndSet(now, now + bytes)) {
        return true;
      }
    }
    return false;
  }

  private void releaseToNode(long key, long bytes) {
    if (key != BACKGROUND) {
      held.addAndGet(-bytes);
    }
  }

  /** Returns bytes to the budget. */
  void release(long key, long bytes) {
    if (bytes == 0) {
      return;
    }
    releaseToNode(key, bytes);
    heldByKey.computeIfPresent(key, (id, before) -> before == bytes ? null : before - bytes);
  }

  private void refuse(String becauseOf, boolean last) {
    if (!last) {
      return;
    }
    refused.labelValues(becauseOf).inc();
    long before = loggedNanos.get();
    long now = System.nanoTime();
    if (now - before >= LOG_INTERVAL_NANOS && loggedNanos.compareAndSet(before, now)) {
      LOGGER.warn(
          "A reservation of heap was refused: work in progress holds {} MiB of {} MiB, or one key"
              + " its share; see maxBodiesInWork",
          held.get() >> 20,
          total >> 20);
    }
  }
}
