package io.memorygateway.ratelimit.window;

import io.memorygateway.concurrent.DaemonThreads;
import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.database.Home;
import io.memorygateway.ratelimit.window.WindowLimiter.Settings;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The windows of the keys of one home on this node, with a lane and a connection of their own: a
 * shard that is away, or slow, stops no keys of another.
 */
final class HomeWindows {
  private static final Duration START = Duration.ofSeconds(10);

  /** Keys and kinds for which permits are counted ahead. */
  private static final int MAX_MEASURED = 4096;

  /** Between attempts to reach the database again. */
  private static final Duration PROBE_INTERVAL = Duration.ofMillis(500);

  private final DatabaseClock clock;
  private final WindowCache cache;
  private final Reservations reservations;
  private final Lane lane;
  private final LaneWorker worker;
  private final Thread thread;
  private final Duration maxWait;
  private final AtomicBoolean begun = new AtomicBoolean();

  HomeWindows(
      Home home,
      RuleSet rules,
      Settings settings,
      DatabaseAddress database,
      long node,
      WindowMetrics metrics,
      InstantSource wall) {
    clock = new DatabaseClock(wall, System::nanoTime);
    cache = new WindowCache(rules, clock);
    Duration timeout = settings.timeout();
    // Half of the time, so that what follows the connection has the other half.
    WindowStore.Source source =
        () ->
            MySqlWindowStore.open(
                database, timeout.dividedBy(2), timeout, rules, home, node, clock);
    RequestQueue queue = new RequestQueue();
    LaneState state =
        new LaneState(rules, queue, cache, clock, metrics, settings.onStorageFailure());
    reservations =
        new MeasuredReservations(
            rules,
            cache,
            clock,
            System::nanoTime,
            queue::wakeWorker,
            settings.countAhead() ? MAX_MEASURED : 0);
    BatchDecider decider =
        new BatchDecider(
            source,
            home.first(),
            rules,
            reservations,
            cache,
            metrics,
            timeout.dividedBy(4).toNanos());
    maxWait = timeout.multipliedBy(3).dividedBy(2);
    lane = new Lane(queue, state, reservations, cache, metrics, maxWait.toNanos());
    worker = new LaneWorker(queue, state, reservations, decider, timeout, PROBE_INTERVAL);
    thread = DaemonThreads.named("rate-limits-" + home.number()).newThread(worker);
  }

  DatabaseClock clock() {
    return clock;
  }

  WindowCache cache() {
    return cache;
  }

  Reservations reservations() {
    return reservations;
  }

  Lane lane() {
    return lane;
  }

  /** Connects and warms up; returns without a connection if the database cannot be reached. */
  void start() throws InterruptedException {
    begin();
    worker.awaitStarted(START);
  }

  private void begin() {
    if (begun.compareAndSet(false, true)) {
      try {
        DaemonThreads.start(thread);
      } catch (RejectedExecutionException e) {
        begun.set(false); // the next request begins it; until then this node decides alone
      }
    }
  }

  /** Begins, and waits no longer than for a decision: alone, this node does not count exactly. */
  void awaitBegun() {
    begin();
    try {
      worker.awaitStarted(maxWait);
    } catch (InterruptedException e) {
      // The caller has left, or the node stops; what was begun goes on.
      Thread.currentThread().interrupt();
    }
  }

  /** Begins to return reserved permits and to disconnect. */
  void stop() {
    worker.stop();
    thread.interrupt();
  }

  void awaitStopped() throws InterruptedException {
    thread.join(TimeUnit.SECONDS.toMillis(2));
  }
}
