package io.memorygateway.memory;

import io.dropwizard.lifecycle.Managed;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes Idempotency-Keys that are too old to count, in small portions, on one node at a time: who
 * holds a named lock of the database does it, the others leave it be.
 */
final class IdempotencyKeyCleaner implements Managed {
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
    jdbi.useHandle(
        handle -> {
          if (locked(handle)) {
            try {
              removeOld(handle);
            } finally {
              handle.createQuery("SELECT RELEASE_LOCK(" + NAME + ")").mapTo(Integer.class).one();
            }
          }
        });
  }

  /** Of this schema: names of locks are the server's. */
  private static final String NAME = "CONCAT('idempotency-keys-', LEFT(SHA2(DATABASE(), 256), 32))";

  private static boolean locked(Handle handle) {
    return handle
        .createQuery("SELECT GET_LOCK(" + NAME + ", 0)")
        .mapTo(Integer.class)
        .findOne()
        .filter(got -> got == 1)
        .isPresent();
  }

  private void removeOld(Handle handle) {
    IdempotencyDao dao = handle.attach(IdempotencyDao.class);
    while (dao.forgetOlder(clock.instant().minus(IdempotentWrites.KEPT), PORTION) == PORTION) {
      // the next portion
    }
  }
}
