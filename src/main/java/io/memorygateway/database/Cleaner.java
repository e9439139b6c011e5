package io.memorygateway.database;

import io.dropwizard.lifecycle.Managed;
import io.dropwizard.lifecycle.setup.LifecycleEnvironment;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes {@link OldRows} of one kind repeatedly, as long as the node runs. */
public final class Cleaner implements Managed {
  private static final Logger LOGGER = LoggerFactory.getLogger(Cleaner.class);

  private final String what;
  private final Duration interval;
  private final LongSupplier removal;
  private final ScheduledExecutorService executor;
  private final FailuresInARow failures = new FailuresInARow();

  Cleaner(String what, Duration interval, LongSupplier removal, ScheduledExecutorService executor) {
    this.what = what;
    this.interval = interval;
    this.removal = removal;
    this.executor = executor;
  }

  /**
   * Schedules the removal, for the first time after one interval.
   *
   * @param what is removed, for the log: letters and hyphens
   * @param removal returns how many were removed
   */
  public static void install(
      LifecycleEnvironment lifecycle, String what, Duration interval, LongSupplier removal) {
    ScheduledExecutorService executor =
        lifecycle.scheduledExecutorService(what + "-%d", true).build();
    lifecycle.manage(new Cleaner(what, interval, removal, executor));
  }

  @Override
  public void start() {
    var unused =
        executor.scheduleWithFixedDelay(
            this::run, interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void run() {
    try {
      long removed = removal.getAsLong();
      failures.end();
      if (removed > 0) {
        LOGGER.info("Removed {} old rows: {}", removed, what);
      }
    } catch (RuntimeException e) {
      // Mostly the database; in any case the schedule goes on.
      if (failures.isWorthALine()) {
        LOGGER.warn("Old rows stay ({}); the next run will try again: {}", what, e.toString());
      }
    }
  }
}
