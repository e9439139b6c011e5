package io.memorygateway.access;

import io.memorygateway.concurrent.BackgroundWriter;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Background writer of a line for each request: requests only put what was recorded of them into a
 * bounded queue, and wake no thread. Lines are written some milliseconds later, many at a time.
 * Lines that do not fit the queue are dropped and counted.
 */
final class AccessLog extends BackgroundWriter {
  /** Name of the logger, which config.yml or the task {@code log-level} turns on and off. */
  static final String LOGGER_NAME = "io.memorygateway.access";

  private static final Logger LOGGER = LoggerFactory.getLogger(LOGGER_NAME);
  private static final int QUEUE_CAPACITY = 8192;
  private static final long GATHER_MILLIS = 20;
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(2);

  private final BlockingQueue<AccessEntry> queue = new ArrayBlockingQueue<>(QUEUE_CAPACITY);
  private final Counter dropped;

  AccessLog(PrometheusRegistry registry) {
    super("access-log", STOP_TIMEOUT);
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
  protected void run() throws InterruptedException {
    List<AccessEntry> batch = new ArrayList<>();
    boolean last;
    do {
      last = stopsWithin(GATHER_MILLIS);
      queue.drainTo(batch);
      batch.forEach(this::write);
      batch.clear();
    } while (!last);
  }

  private void write(AccessEntry entry) {
    try {
      LOGGER.info("{}", entry);
    } catch (RuntimeException e) {
      dropped.inc();
    }
  }
}
