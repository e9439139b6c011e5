package io.memorygateway.memory;

import io.dropwizard.lifecycle.Managed;
import io.memorygateway.housekeeping.OldRows;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes Idempotency-Keys that are too old to count; see {@link OldRows}. */
public final class IdempotencyKeyCleaner implements Managed {
  private static final Logger LOGGER = LoggerFactory.getLogger(IdempotencyKeyCleaner.class);
  private static final Duration INTERVAL = Duration.ofMinutes(5);
  private static final int PORTION = 500;

  private final Jdbi jdbi;
  private final Clock clock;
  private final ScheduledExecutorService executor;

  IdempotencyKeyCleaner(Jdbi jdbi, Clock clock, ScheduledExecutorService executor) {
    this.jdbi = jdbi;
    this.clock = clock;
    this.executor = executor;
  }

  @Override
  public void start() {
    var unused =
        executor.scheduleWithFixedDelay(
            this::run, INTERVAL.toSeconds(), INTERVAL.toSeconds(), TimeUnit.SECONDS);
  }

  private void run() {
    try {
      clean();
    } catch (JdbiException e) {
      LOGGER.warn("Old idempotency keys could not be removed; the next run will try again", e);
    }
  }

  /** Removes all that are too old, unless another node is doing so. */
  void clean() {
    removeOld(jdbi, clock.instant());
  }

  /**
   * Removes all that are too old at that time, unless another node is doing so; returns how many.
   */
  public static long removeOld(Jdbi jdbi, Instant now) {
    return OldRows.remove(
        jdbi,
        "idempotency-keys",
        PORTION,
        handle ->
            handle
                .attach(IdempotencyDao.class)
                .forgetOlder(now.minus(IdempotentWrites.KEPT), PORTION));
  }
}
