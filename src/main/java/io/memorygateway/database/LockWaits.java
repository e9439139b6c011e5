package io.memorygateway.database;

import com.codahale.metrics.health.HealthCheck;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Health check that reports writes waiting long for locks of others: of a node that froze in the
 * middle of a transaction, or of somebody at a prompt. Only the server knows who holds the lock,
 * and shows it only to accounts with privileges that the gateway does not have.
 */
public final class LockWaits extends HealthCheck {
  private static final Logger LOGGER = LoggerFactory.getLogger(LockWaits.class);
  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LongSupplier nanoTime;
  private final Counter timeouts;
  private final Counter refusals;
  private long windowStart;
  private long refusedBefore;
  private long refusedNow;

  /**
   * Creates counters and starts to count.
   *
   * @param nanoTime a monotonic clock
   */
  public LockWaits(PrometheusRegistry registry, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.windowStart = nanoTime.getAsLong();
    this.timeouts =
        Counter.builder()
            .name("memory_gateway_lock_wait_timeouts_total")
            .help("Statements that waited in vain for a lock of another transaction.")
            .register(registry);
    this.refusals =
        Counter.builder()
            .name("memory_gateway_lock_wait_refusals_total")
            .help("Writes refused because another transaction held their locks all the time.")
            .register(registry);
  }

  /** Counts a statement that timed out waiting; its transaction may be tried again. */
  public void timedOut() {
    timeouts.inc();
  }

  /** Counts a write that is given up because of a lock. */
  public void refused() {
    refusals.inc();
    boolean first;
    synchronized (this) {
      turn();
      first = refusedNow++ == 0;
    }
    if (first) {
      LOGGER.warn(
          "Writes are refused because other transactions hold their locks for seconds;"
              + " see sys.innodb_lock_waits of the server");
    }
  }

  /** Returns how many writes were refused in the last ten to twenty seconds. */
  synchronized long recentRefusals() {
    turn();
    return refusedBefore + refusedNow;
  }

  private synchronized void turn() {
    long passed = nanoTime.getAsLong() - windowStart;
    if (passed >= WINDOW_NANOS) {
      refusedBefore = passed < 2 * WINDOW_NANOS ? refusedNow : 0;
      refusedNow = 0;
      windowStart += passed - passed % WINDOW_NANOS;
    }
  }

  @Override
  protected Result check() {
    long refused = recentRefusals();
    return refused == 0
        ? Result.healthy("no write waits for a lock for long")
        : Result.unhealthy(
            refused + " writes were refused in the last seconds: others hold their locks");
  }
}
