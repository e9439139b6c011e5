package io.memorygateway.usage;

import io.dropwizard.lifecycle.Managed;
import io.memorygateway.housekeeping.OldRows;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes rows of {@code request_log} that are older than they are to be kept; see {@link OldRows}.
 */
public final class RequestLogCleaner implements Managed {
  private static final Logger LOGGER = LoggerFactory.getLogger(RequestLogCleaner.class);
  private static final Duration INTERVAL = Duration.ofMinutes(10);
  private static final int PORTION = 1000;

  private final Jdbi jdbi;
  private final InstantSource clock;
  private final Duration kept;
  private final ScheduledExecutorService executor;

  RequestLogCleaner(
      Jdbi jdbi, InstantSource clock, Duration kept, ScheduledExecutorService executor) {
    this.jdbi = jdbi;
    this.clock = clock;
    this.kept = kept;
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
      long removed = removeOlder(jdbi, clock.instant().minus(kept));
      if (removed > 0) {
        LOGGER.info("Removed {} old rows of the request log", removed);
      }
    } catch (JdbiException e) {
      LOGGER.warn(
          "Old rows of the request log stay; the next run will try again: {}", e.toString());
    }
  }

  /** Removes all that began before that time, unless another node is doing so; returns how many. */
  public static long removeOlder(Jdbi jdbi, Instant before) {
    return OldRows.remove(
        jdbi,
        "request-log",
        PORTION,
        handle -> handle.attach(RequestLogDao.class).removeOlder(before, PORTION));
  }
}
