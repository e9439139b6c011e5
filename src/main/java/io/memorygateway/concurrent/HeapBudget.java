package io.memorygateway.concurrent;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Budget of the heap that work on this node may hold, in bytes: request bodies and what is derived
 * from them, tails of threads that turns read, responses built from the database, upstream
 * responses that are collected or assembled, messages that are observed. Work reserves before it
 * allocates, with a weight that reflects the heap really taken.
 *
 * <p>One key holds at most half, or one body of the largest size if that is more. An eighth of the
 * budget is for small reservations, and another one for these and for keys that hold no more than
 * an eighth in all, so that one with much never keeps them out. Background work, which may hold
 * heap for minutes, has a separate quarter in addition.
 */
public final class HeapBudget {
  /** The key of work that no caller waits for. */
  public static final long BACKGROUND = -1;

  /** Bytes up to which a reservation counts as small: those of a request body of 64 KiB. */
  private static final long SMALL = 384L << 10;

  private static final Logger LOGGER = LoggerFactory.getLogger(HeapBudget.class);
  private static final long LOG_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final long total;
  private final long forOneKey;
  private final long forBackground;
  private final Set<String> growing = ConcurrentHashMap.newKeySet();
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

  /** What is waited for by work that grows, each by one. */
  Set<String> growing() {
    return growing;
  }

  /** What growing work would have to wait for: the share of its key, or room on the node. */
  String awaited(long key, long bytes, long holds) {
    long ofKey = heldByKey.getOrDefault(key, 0L) + bytes;
    return ofKey > maxOf(key) ? "key " + key : "room " + room(holds, ofKey);
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
    String[] full = new String[1];
    heldByKey.compute(
        key,
        (id, before) -> {
          long ofKey = (before == null ? 0 : before) + bytes;
          full[0] = ofKey > maxOf(key) ? "key" : takeOfNode(key, bytes, holds, ofKey);
          return full[0] == null ? Long.valueOf(ofKey) : before;
        });
    if (full[0] != null) {
      // Background work tries again later, so its refusals are not reported.
      refuse(full[0], last && key != BACKGROUND);
    }
    return full[0] == null;
  }

  /** Bytes of all keys up to which there is room for a reservation. */
  private long room(long holds, long ofKey) {
    return total - (holds <= SMALL ? 0 : ofKey <= total / 8 ? total / 8 : total / 4);
  }

  private @Nullable String takeOfNode(long key, long bytes, long holds, long ofKey) {
    long max = room(holds, ofKey);
    for (long now = held.get(); key != BACKGROUND; now = held.get()) {
      if (now + bytes > max) {
        return "node";
      }
      if (held.compareAndSet(now, now + bytes)) {
        break;
      }
    }
    return null;
  }

  void release(long key, long bytes) {
    if (bytes == 0) {
      return;
    }
    if (key != BACKGROUND) {
      held.addAndGet(-bytes);
    }
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
