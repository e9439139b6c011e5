package io.memorygateway.embedding;

import io.dropwizard.lifecycle.Managed;
import io.memorygateway.database.Home;
import io.memorygateway.database.Homes;
import io.memorygateway.database.NodeLease;
import io.memorygateway.embedding.VectorDao.PendingThread;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Embeds messages in the background while the node runs, on the one node that holds the lease, of
 * one home after the other; one that fails is passed over for a while. If the model fails, it is
 * tried again after pauses that grow.
 */
public final class Embedder implements Managed {
  private static final Logger LOGGER = LoggerFactory.getLogger(Embedder.class);
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration MAX_PAUSE = Duration.ofMinutes(1);
  private static final long STOP_MILLIS = 5_000;

  /** Time after which a home that failed is asked again, where there are others. */
  private static final long ASIDE_NANOS = TimeUnit.SECONDS.toNanos(30);

  record OfHome(PendingThreads pending, EmbeddingRound round) {}

  private final NodeLease lease;
  private final Homes homes;
  private final Function<Home, OfHome> open;
  private final Map<Home, OfHome> opened = new HashMap<>();

  /** Homes that failed last, with the time until which they are passed over. */
  private final Map<Home, Long> aside = new HashMap<>();

  private final EmbeddingModels models;
  private final TextEmbedder embedder;
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
      Homes homes,
      Function<Home, OfHome> open,
      EmbeddingModels models,
      TextEmbedder embedder,
      ExecutorService calls,
      EmbeddingMetrics metrics,
      RandomGenerator random) {
    this.lease = lease;
    this.homes = homes;
    this.open = open;
    this.models = models;
    this.embedder = embedder;
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
    } catch (RuntimeException | StackOverflowError e) {
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
      opened.clear();
    }
    if (dimensions == 0 || models.hasOthers(dimensions)) {
      dimensions = embedder.dimensions();
      models.asked(dimensions);
    }
    int model = models.findOrAdd(dimensions);
    try {
      return workOnHomes(model);
    } catch (EmbeddingFailureException e) {
      dimensions = 0; // it may be another model by now
      throw e;
    }
  }

  private boolean workOnHomes(int model) throws EmbeddingFailureException, InterruptedException {
    List<Home> all = homes.known();
    int pending = 0;
    boolean worked = false;
    for (Home home : all) {
      Long until = aside.get(home);
      if (until != null && System.nanoTime() - until < 0) {
        continue;
      }
      if (worked && !lease.hold()) {
        held = false;
        break;
      }
      try {
        OfHome of = opened.computeIfAbsent(home, open);
        List<PendingThread> threads = of.pending.find(model);
        pending += threads.size();
        metrics.pending(pending);
        if (!threads.isEmpty()) {
          of.round.run(threads, model, dimensions);
          worked = true;
        }
        if (aside.remove(home) != null) {
          LOGGER.info("Messages of home {} are embedded again", home.number());
        }
      } catch (RuntimeException e) {
        if (all.size() == 1) {
          throw e;
        }
        if (aside.put(home, System.nanoTime() + ASIDE_NANOS) == null) {
          LOGGER.warn(
              "Messages of home {} cannot be embedded for now, and are searched by their words: {}",
              home.number(),
              e.getClass().getSimpleName());
        }
        LOGGER.debug("It failed here", e);
      }
    }
    metrics.pending(held ? pending : 0);
    return worked;
  }

  private static void pause(long millis) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(millis);
  }
}
