package io.memorygateway.auth;

import io.dropwizard.lifecycle.Managed;
import io.memorygateway.database.FailuresInARow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Periodic writer of the times at which keys were last used, so that requests do not write them.
 */
public final class LastUseRecorder implements Managed {
  private static final Logger LOGGER = LoggerFactory.getLogger(LastUseRecorder.class);
  private static final long INTERVAL_SECONDS = 10;

  private final ApiKeyVerifier verifier;
  private final Jdbi jdbi;
  private final ScheduledExecutorService scheduler;
  private final FailuresInARow failures = new FailuresInARow();

  public LastUseRecorder(ApiKeyVerifier verifier, Jdbi jdbi, ScheduledExecutorService scheduler) {
    this.verifier = verifier;
    this.jdbi = jdbi;
    this.scheduler = scheduler;
  }

  @Override
  public void start() {
    var unused =
        scheduler.scheduleWithFixedDelay(
            this::record, INTERVAL_SECONDS, INTERVAL_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void stop() {
    record();
  }

  /** Writes the uses since the last call; a use that cannot be written is dropped. */
  void record() {
    // In the order of their ids, so that nodes which record the same keys do not deadlock.
    Map<Long, Instant> uses = verifier.drainLastUses();
    if (uses.isEmpty()) {
      return;
    }
    try {
      jdbi.useExtension(
          ApiKeyDao.class,
          dao -> dao.recordUse(new ArrayList<>(uses.keySet()), new ArrayList<>(uses.values())));
      failures.end();
    } catch (RuntimeException e) {
      // An exception that leaves the task would end its schedule.
      if (failures.isWorthALine()) {
        LOGGER.warn("The last use of {} keys was not recorded: {}", uses.size(), e.toString());
      }
    }
  }
}
