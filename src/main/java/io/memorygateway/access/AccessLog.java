package io.memorygateway.access;

import io.dropwizard.lifecycle.Managed;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a line for each request, on a thread of its own: requests only put what they noted into a
 * bounded queue, and wake nobody. Lines are written some milliseconds later, many at a time. When
 * they cannot be written as fast as requests come, they are dropped and counted.
 */
final class AccessLog implements Managed {
  /** To be turned off and on by this name, in config.yml or with the task {@code log-level}. */
  static final String LOGGER_NAME = "io.memorygateway.access";

  private static final Logger LOGGER = LoggerFactory.getLogger(LOGGER_NAME);
  private static final int WAITING = 8192;
  private static final long GATHER_MILLIS = 20;
  private static final long LAST_LINES_MILLIS = 2000;

  private final BlockingQueue<AccessEntry> queue = new ArrayBlockingQueue<>(WAITING);
  private final Counter dropped;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private @Nullable Thread writer;

  AccessLog(PrometheusRegistry registry) {
    dropped =
        Counter.builder()
            .name("memory_gateway_access_log_dropped_total")
            .help("Lines of the access log that were dropped because it is written too slowly.")
            .register(registry);
  }

  void add(AccessEntry entry) {
    if (LOGGER.isInfoEnabled() && !queue.offer(entry)) {
      dropped.inc();
    }
  }

  @Override
  public void start() {
    Thread thread = new Thread(this::run, "access-log");
    thread.setDaemon(true);
    thread.start();
    writer = thread;
  }

  /** Returns when the last lines are written, or do not get written within two seconds. */
  @Override
  public void stop() throws InterruptedException {
    stopping.countDown();
    if (writer != null) {
      writer.join(LAST_LINES_MILLIS);
    }
  }

  private void run() {
    List<AccessEntry> batch = new ArrayList<>();
    try {
      boolean last;
      do {
        last = stopping.await(GATHER_MILLIS, TimeUnit.MILLISECONDS);
        queue.drainTo(batch);
        batch.forEach(entry -> LOGGER.info("{}", entry));
        batch.clear();
      } while (!last);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
