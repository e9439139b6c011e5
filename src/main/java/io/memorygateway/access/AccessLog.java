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
 * Writes a line for each request: requests only put what they noted into a bounded queue, and wake
 * nobody. Lines are written some milliseconds later, many at a time. When they cannot be written as
 * fast as requests come, they are dropped and counted.
 */
final class AccessLog extends BackgroundWriter {
  /**
   * The logger's name, by which it is turned off and on in config.yml or with the task {@code
   * log-level}.
   */
  static final String LOGGER_NAME = "io.memorygateway.access";

  private static final Logger LOGGER = LoggerFactory.getLogger(LOGGER_NAME);
  private static final int WAITING = 8192;
  private static final long GATHER_MILLIS = 20;
  private static final Duration LAST_LINES = Duration.ofSeconds(2);

  private final BlockingQueue<AccessEntry> queue = new ArrayBlockingQueue<>(WAITING);
  private final Counter dropped;

  AccessLog(PrometheusRegistry registry) {
    super("access-log", LAST_LINES);
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
