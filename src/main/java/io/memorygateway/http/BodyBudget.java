package io.memorygateway.http;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the heap that bodies in work on this node may take: request bodies and what is made of
 * them, answers that are built from the database, whole answers of upstreams. What does not fit is
 * refused at once with 503, before anything is stored.
 *
 * <p>Small bodies are counted, too, but a quarter of the budget is for them alone: large ones never
 * keep them out. One key holds at most half, or one body of the largest size if that is more.
 */
public final class BodyBudget {
  /**
   * Heap that a request body takes while it is worked on, in multiples of its bytes: itself, its
   * values as strings, what the driver sends, and the answer.
   */
  static final int REQUEST_COST = 6;

  /** The same of an answer that is built of rows: the rows, the text, and its copy to be sent. */
  public static final int ANSWER_COST = 5;

  /** The same of an upstream's answer that is gathered: its pieces, the whole, what is parsed. */
  public static final int UPSTREAM_COST = 3;

  /** Heap of a body that counts as small: one of less than 64 KiB. */
  static final long SMALL = 64L * 1024 * REQUEST_COST;

  private static final Logger LOGGER = LoggerFactory.getLogger(BodyBudget.class);
  private static final long LOGGED_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final long total;
  private final long forLarge;
  private final long forOneKey;
  private final AtomicLong held = new AtomicLong();
  private final ConcurrentHashMap<Long, Long> heldByKey = new ConcurrentHashMap<>();
  private final AtomicLong loggedNanos = new AtomicLong(System.nanoTime() - LOGGED_EVERY_NANOS);
  private final Counter refused;

  /**
   * An empty budget.
   *
   * @param bytes of the heap; more is taken if one body of the largest size would not fit
   * @param largestBody bytes of a request body at most
   */
  public BodyBudget(long bytes, long largestBody, PrometheusRegistry registry) {
    long largest = largestBody * REQUEST_COST;
    this.total = Math.max(bytes, largest + largest / 3 + 1);
    this.forLarge = total - total / 4;
    this.forOneKey = Math.max(total / 2, largest);
    this.refused =
        Counter.builder()
            .name("memory_gateway_bodies_refused_total")
            .help("Requests answered with 503 because bodies in work took all that they may take.")
            .labelNames("because_of")
            .register(registry);
    refused.initLabelValues("node");
    refused.initLabelValues("key");
    GaugeWithCallback.builder()
        .name("memory_gateway_bodies_bytes")
        .help("Heap that bodies in work are counted with, and the most it may be.")
        .labelNames("state")
        .callback(
            gauge -> {
              gauge.call((double) held.get(), "held");
              gauge.call((double) total, "max");
            })
        .register(registry);
  }

  /** What bodies hold at the moment. */
  long held() {
    return held.get();
  }

  /** For how many keys something is held at the moment. */
  int keys() {
    return heldByKey.size();
  }

  /**
   * Takes so much, or nothing.
   *
   * @param key {@code api_keys.id}
   * @param small whether it is for a small body
   */
  boolean take(long key, long bytes, boolean small) {
    long most = small ? total : forLarge;
    for (long now = held.get(); ; now = held.get()) {
      if (now + bytes > most) {
        refuse("node");
        return false;
      }
      if (held.compareAndSet(now, now + bytes)) {
        break;
      }
    }
    boolean[] taken = new boolean[1];
    heldByKey.compute(
        key,
        (id, before) -> {
          long already = before == null ? 0 : before;
          taken[0] = already + bytes <= forOneKey;
          return taken[0] ? Long.valueOf(already + bytes) : before;
        });
    if (!taken[0]) {
      held.addAndGet(-bytes);
      refuse("key");
    }
    return taken[0];
  }

  /** Gives back what was taken. */
  void give(long key, long bytes) {
    if (bytes == 0) {
      return;
    }
    held.addAndGet(-bytes);
    heldByKey.computeIfPresent(key, (id, before) -> before == bytes ? null : before - bytes);
  }

  private void refuse(String becauseOf) {
    refused.labelValues(becauseOf).inc();
    long last = loggedNanos.get();
    long now = System.nanoTime();
    if (now - last >= LOGGED_EVERY_NANOS && loggedNanos.compareAndSet(last, now)) {
      LOGGER.warn(
          "A body was refused with 503: those in work hold {} MiB of {} MiB, or one key its share;"
              + " see maxBodiesInWork",
          held.get() >> 20,
          total >> 20);
    }
  }
}
