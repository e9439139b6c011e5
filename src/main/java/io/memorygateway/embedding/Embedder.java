package io.memorygateway.embedding;

import io.dropwizard.lifecycle.Managed;
import io.memorygateway.database.NodeLease;
import io.memorygateway.embedding.VectorDao.PendingThread;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Embeds messages in the background while the node runs, on the one node that holds the lease. If
 * the model fails, it is tried again after pauses that grow.
 */
public final class Embedder implements Managed {
  private static final Logger LOGGER = LoggerFactory.getLogger(Embedder.class);
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration MAX_PAUSE = Duration.ofMinutes(1);
  private static final long STOP_MILLIS = 5_000;

  private final NodeLease lease;
  private final PendingThreads pending;
  private final EmbeddingModels models;
  private final TextEmbedder embedder;
  private final EmbeddingRound round;
  private final ExecutorService calls;
  private final EmbeddingMetrics metrics;
  private final RandomGenerator random;
  private @Nullable Thread thread;
  private volatile boolean stopping;
  private boolean held;
  private int failures;

  /** Dimensions of the model's vectors; 0 before its first answer, and after a failure. */
  private int dimensions;

  Embedder(
      NodeLease lease,
      PendingThreads pending,
      EmbeddingModels models,
      TextEmbedder embedder,
      EmbeddingRound round,
      ExecutorService calls,
      EmbeddingMetrics metrics,
      RandomGenerator random) {
    this.lease = lease;
    this.pending = pending;
    this.models = models;
    this.embedder = embedder;
    this.round = round;
    this.calls = calls;
    this.metrics = metrics;
    this.random = random;
  }

  @Override
  public void start() {
    Thread worker = new Thread(this::work, "embedder");
    worker.setDaemon(true);
    thread = worker;
    worker.start();
  }

  @Override
  public void stop() throws InterruptedException {
    stopping = true;
    calls.shutdownNow();
    Thread worker = thread;
    if (worker != null) {
      worker.interrupt();
      worker.join(STOP_MILLIS);
    }
  }

  private void work() {
    while (!stopping) {
      try {
        pause(next());
      } catch (InterruptedException e) {
        // Only the stop of the node interrupts.
      }
    }
    try {
      lease.release();
    } catch (RuntimeException e) {
      LOGGER.debug("The lease was not released; it ends within a minute", e);
    }
  }

  /** Does some work if there is any; returns the milliseconds to wait before the next. */
  private long next() throws InterruptedException {
    try {
      boolean worked = workOnce();
      if (failures > 0) {
        LOGGER.info("Messages are embedded again");
      }
      failures = 0;
      return worked ? 0 : POLL.toMillis();
    } catch (EmbeddingFailureException e) {
      return failed(e.reason().label() + ": " + e.getMessage());
    } catch (RuntimeException e) {
      LOGGER.debug("It failed here", e);
      return failed(e.getClass().getSimpleName());
    }
  }

  private long failed(String why) {
    if (failures++ == 0) {
      LOGGER.warn("Messages cannot be embedded for now, and are searched by their words: {}", why);
    }
    long max = Math.min(MAX_PAUSE.toMillis(), POLL.toMillis() << Math.min(failures, 10));
    return max / 2 + random.nextLong(max / 2 + 1);
  }

  /** Embeds some messages; false if there are none, or another node does it. */
  boolean workOnce() throws EmbeddingFailureException, InterruptedException {
    boolean before = held;
    held = lease.hold();
    if (!held) {
      metrics.pending(0);
      return false;
    }
    if (!before) {
      pending.restart();
    }
    if (dimensions == 0) {
      dimensions = embedder.dimensions();
    }
    int model = models.findOrAdd(dimensions);
    List<PendingThread> threads = pending.find(model);
    metrics.pending(threads.size());
    if (threads.isEmpty()) {
      return false;
    }
    try {
      round.run(threads, model, dimensions);
    } catch (EmbeddingFailureException e) {
      dimensions = 0; // it may be another model by now
      throw e;
    }
    return true;
  }

  private static void pause(long millis) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(millis);
  }
}
