package io.memorygateway.ratelimit.window;

import io.dropwizard.lifecycle.Managed;
import io.memorygateway.database.DatabaseAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Background upkeep of the windows: each minute evicts ended ones from memory, each hour renews the
 * rules' slots and removes the rows of idle keys.
 */
public final class WindowHousekeeping implements Managed {
  private static final Logger LOGGER = LoggerFactory.getLogger(WindowHousekeeping.class);
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration ANSWER = Duration.ofMinutes(1);

  private final WindowLimiter limiter;
  private final RuleSet rules;
  private final DatabaseAddress database;
  private final ScheduledExecutorService executor;
  private final List<Future<?>> tasks = new ArrayList<>();

  /**
   * Creates the tasks.
   *
   * @param executor that runs them; its creator stops it
   */
  public WindowHousekeeping(
      WindowLimiter limiter,
      List<RateLimitRule> configuredRules,
      DatabaseAddress database,
      ScheduledExecutorService executor) {
    this.limiter = limiter;
    this.rules = new RuleSet(configuredRules);
    this.database = database;
    this.executor = executor;
  }

  @Override
  public void start() {
    tasks.add(executor.scheduleWithFixedDelay(limiter::evictEnded, 1, 1, TimeUnit.MINUTES));
    tasks.add(executor.scheduleWithFixedDelay(this::tidyDatabase, 5, 60, TimeUnit.MINUTES));
  }

  @Override
  public void stop() {
    tasks.forEach(task -> task.cancel(false));
  }

  void tidyDatabase() {
    try (Connection connection = database.connect(CONNECT, ANSWER)) {
      RuleSlots.claim(connection, rules);
      connection.setAutoCommit(true);
      long removed = IdleRows.remove(Jdbi.create(connection));
      if (removed > 0) {
        LOGGER.info("Rate limits: removed the rows of {} idle keys", removed);
      }
    } catch (SQLException | JdbiException e) {
      LOGGER.warn("Rate limits: no housekeeping this time: {}", e.getMessage());
    }
  }
}
