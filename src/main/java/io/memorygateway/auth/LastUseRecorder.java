package io.memorygateway.auth;

import io.dropwizard.lifecycle.Managed;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Periodic record of the times at which keys were last used, so that no request pays for it. */
public final class LastUseRecorder implements Managed {
  private static final Logger LOGGER = LoggerFactory.getLogger(LastUseRecorder.class);
  private static final long EVERY_SECONDS = 10;

  private final ApiKeyVerifier verifier;
  private final Jdbi jdbi;
  private final ScheduledExecutorService scheduler;

  public LastUseRecorder(ApiKeyVerifier verifier, Jdbi jdbi, ScheduledExecutorService scheduler) {
    this.verifier = verifier;
    this.jdbi = jdbi;
    this.scheduler = scheduler;
  }

  @Override
  public void start() {
    var unused =
        scheduler.scheduleWithFixedDelay(
            this::record, EVERY_SECONDS, EVERY_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void stop() {
    record();
  }

  /** Records the uses since the last call; a use that cannot be written is dropped. */
  void record() {
    // Sorted, so that nodes which record the same keys do not lock each other out.
    Map<Long, Instant> uses = new TreeMap<>(verifier.drainLastUses());
    if (uses.isEmpty()) {
      return;
    }
    try {
      jdbi.useExtension(
          ApiKeyDao.class,
          dao -> dao.recordUse(new ArrayList<>(uses.keySet()), new ArrayList<>(uses.values())));
    } catch (RuntimeException e) {
      // Thrown on, it would end the schedule for good.
      LOGGER.warn("The last use of {} keys was not recorded: {}", uses.size(), e.toString());
    }
  }
}
