package io.memorygateway.observation;

import com.google.common.base.Throwables;
import io.dropwizard.lifecycle.Managed;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The worker threads of this node, which take jobs and do them. */
final class ObservationWorkers implements Managed {
  private static final Logger LOGGER = LoggerFactory.getLogger(ObservationWorkers.class);
  private static final long STOP_MILLIS = 5_000;
  private static final long LAG_SECONDS = 5;

  private final int workers;
  private final Duration pollInterval;
  private final Jdbi jdbi;
  private final Leases leases;
  private final ThreadObserver observer;
  private final ObservationMetrics metrics;
  private final BackgroundThrottle throttle;
  private final ScheduledExecutorService executor;
  private final List<Thread> threads = new ArrayList<>();
  private final List<Future<?>> tasks = new ArrayList<>();
  private volatile boolean stopping;
  private volatile boolean failing;
  private volatile double lagSeconds;

  ObservationWorkers(
      int workers,
      Duration pollInterval,
      Jdbi jdbi,
      Leases leases,
      ThreadObserver observer,
      ObservationMetrics metrics,
      BackgroundThrottle throttle,
      ScheduledExecutorService executor) {
    this.workers = workers;
    this.pollInterval = pollInterval;
    this.jdbi = jdbi;
    this.leases = leases;
    this.observer = observer;
    this.metrics = metrics;
    this.throttle = throttle;
    this.executor = executor;
  }

  @Override
  public void start() {
    for (int i = 0; i < workers; i++) {
      Thread thread = new Thread(this::work, "observer-" + i);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
    tasks.add(leases.keep(executor));
    tasks.add(executor.scheduleWithFixedDelay(this::measure, 0, LAG_SECONDS, TimeUnit.SECONDS));
  }

  /**
   * Interrupts the workers and releases their jobs, so that another node takes them immediately.
   */
  @Override
  public void stop() throws InterruptedException {
    stopping = true;
    tasks.forEach(task -> task.cancel(false));
    threads.forEach(Thread::interrupt);
    for (Thread thread : threads) {
      thread.join(STOP_MILLIS);
    }
  }

  /** Seconds since the oldest job was requested, as last measured. */
  double lagSeconds() {
    return lagSeconds;
  }

  private void work() {
    while (!stopping) {
      try {
        boolean worked = workOnce();
        failing = false;
        if (!worked) {
          idle();
        }
      } catch (InterruptedException e) {
        // Only the stop of the node interrupts.
      } catch (RuntimeException | Error e) {
        if (!failing) {
          LOGGER.warn("The observer cannot look for work: {}", reason(e));
        }
        failing = true;
        idle();
      }
    }
  }

  private void idle() {
    try {
      Thread.sleep(pollInterval.toMillis());
      throttle.begin();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes a job and does it; false if there is none. */
  boolean workOnce() throws InterruptedException {
    Optional<Lease> taken = leases.take();
    if (taken.isEmpty()) {
      return false;
    }
    Lease lease = taken.get();
    try {
      observer.run(lease);
    } catch (WorkAbortedException e) {
      LOGGER.info("Work on a thread was given up: {}", e.reason());
      leases.failed(lease); // if it is still held
    } catch (InterruptedException e) {
      Thread.interrupted();
      leases.release(lease);
      throw e;
    } catch (RuntimeException | Error e) {
      metrics.failed();
      LOGGER.warn("A thread could not be observed and will be tried again: {}", reason(e));
      LOGGER.debug("It failed here", e);
      leases.failed(lease);
    } finally {
      leases.forget(lease);
    }
    return true;
  }

  /** The failure without the values of its statement, which may be what a user wrote. */
  private static String reason(Throwable failure) {
    Throwable cause = Throwables.getRootCause(failure);
    return cause instanceof SQLException sql
        ? "database error " + sql.getErrorCode() + ", state " + sql.getSQLState()
        : cause.getClass().getSimpleName();
  }

  private void measure() {
    try {
      Long oldest = jdbi.withExtension(JobDao.class, JobDao::oldestMillis);
      lagSeconds = oldest == null ? 0 : oldest / 1000.0;
      metrics.lag(lagSeconds);
    } catch (RuntimeException e) {
      LOGGER.debug("The observer's lag is not known", e);
    }
  }
}
