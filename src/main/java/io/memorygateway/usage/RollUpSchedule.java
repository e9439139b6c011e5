package io.memorygateway.usage;

import io.dropwizard.lifecycle.Managed;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Schedule of {@link RollUpSweep}: when the node starts, and repeatedly after that. */
final class RollUpSchedule implements Managed {
  private static final Logger LOGGER = LoggerFactory.getLogger(RollUpSchedule.class);

  /**
   * Interval of runs; it may be long, since only nodes of the previous version leave rows that are
   * not rolled up.
   */
  private static final Duration INTERVAL = Duration.ofMinutes(10);

  private final RollUpSweep sweep;
  private final ScheduledExecutorService executor;

  RollUpSchedule(RollUpSweep sweep, ScheduledExecutorService executor) {
    this.sweep = sweep;
    this.executor = executor;
  }

  @Override
  public void start() {
    var unused =
        executor.scheduleWithFixedDelay(this::run, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void run() {
    try {
      long added = sweep.run();
      if (added > 0) {
        LOGGER.info("Added {} rows of the request log to the totals", added);
      }
    } catch (RuntimeException e) {
      // Mostly the database; in any case the schedule goes on.
      LOGGER.warn("Totals miss rows of the request log; the next run goes on: {}", e.toString());
    }
  }
}
