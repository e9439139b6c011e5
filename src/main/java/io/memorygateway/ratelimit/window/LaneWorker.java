package io.memorygateway.ratelimit.window;

import com.google.common.collect.Lists;
import io.memorygateway.database.FailuresInARow;
import io.memorygateway.ratelimit.window.WindowStore.Adjustment;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker's side of a lane: takes batches and has each decided in one transaction. One thread
 * and one connection, so that a node never waits for its own row locks. It also changes the lane's
 * state.
 */
final class LaneWorker implements Runnable {
  private static final Logger LOGGER = LoggerFactory.getLogger(LaneWorker.class);

  private static final Duration PING_AFTER_IDLE = Duration.ofSeconds(1);

  /**
   * Transactions before the first request, since a cold JVM may be slow enough to miss a timeout.
   */
  private static final int WARM_UP = 100;

  /** Between two attempts to decide requests that wait for what other nodes hold. */
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private static final Duration PAUSE_WHILE_BUSY = Duration.ofMillis(50);

  private final RequestQueue queue;
  private final LaneState state;
  private final Reservations reservations;
  private final BatchDecider decider;
  private final long timeoutNanos;
  private final long probeNanos;
  private final FailuresInARow refusals = new FailuresInARow();
  private final CountDownLatch started = new CountDownLatch(1);
  private List<PermitRequest> undecided = List.of();
  private long answeredAt = System.nanoTime();
  private boolean warm;
  private volatile boolean stopped;

  /**
   * @param timeout of an answer; the shared windows decide again only if they answer within half of
   *     it
   * @param probeInterval between attempts to reach the database
   */
  LaneWorker(
      RequestQueue queue,
      LaneState state,
      Reservations reservations,
      BatchDecider decider,
      Duration timeout,
      Duration probeInterval) {
    this.queue = queue;
    this.state = state;
    this.reservations = reservations;
    this.decider = decider;
    this.timeoutNanos = timeout.toNanos();
    this.probeNanos = probeInterval.toNanos();
  }

  /** Waits until the first attempt to connect has ended. */
  void awaitStarted(Duration atMost) throws InterruptedException {
    if (!started.await(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
      LOGGER.warn("Rate limits: the database is slow to connect; serving without it for now");
    }
  }

  /** Requests the end of the worker; its thread has to be interrupted as well. */
  void stop() {
    stopped = true;
  }

  @Override
  public void run() {
    while (!stopped) {
      try {
        decider.connect();
        if (!state.isShared() && !rejoin()) {
          LockSupport.parkNanos(this, probeNanos);
          continue;
        }
        started.countDown();
        work();
      } catch (SQLException | RuntimeException e) {
        releaseUndecided();
        decider.disconnect();
        state.fallBack(String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
        LOGGER.debug("Rate limits: the store failed", e);
        started.countDown();
        LockSupport.parkNanos(this, probeNanos);
      }
    }
    releaseUndecided();
    returnAllReserved();
    decider.disconnect();
    state.leave();
  }

  private void work() throws SQLException {
    boolean reserved = !reservations.isEmpty();
    long wait = reserved ? Reservations.CHECK_NANOS : PING_AFTER_IDLE.toNanos();
    List<PermitRequest> batch = new ArrayList<>(undecided);
    batch.removeIf(request -> !request.isSent());
    batch.addAll(queue.takeBatch(batch.isEmpty() ? wait : AGAIN_NANOS));
    undecided = List.of();
    decide(batch);
    if (System.nanoTime() - answeredAt >= Reservations.CHECK_NANOS) {
      answeredAt = System.nanoTime();
      decider.answerRecalls();
    }
    if (batch.isEmpty() && !reserved && !stopped) {
      decider.ping();
    }
    returnUnused();
  }

  private void decide(List<PermitRequest> batch) throws SQLException {
    try {
      undecided = decider.decide(batch);
      if (!batch.isEmpty()) {
        refusals.end();
      }
    } catch (SQLException e) {
      if (!BatchDecider.isServerBusy(e)) {
        throw e;
      }
      // The database can be reached, so waiting requests are refused, and nobody counts alone.
      if (refusals.isWorthALine()) {
        LOGGER.warn("Rate limits: requests are refused, the database is busy: {}", e.getMessage());
      }
      batch.forEach(request -> request.decide(Decision.UNAVAILABLE));
      LockSupport.parkNanos(this, PAUSE_WHILE_BUSY.toNanos());
    } finally {
      batch.removeAll(undecided);
      batch.forEach(PermitRequest::release);
    }
  }

  private void releaseUndecided() {
    undecided.forEach(PermitRequest::release);
    undecided = List.of();
  }

  /**
   * Returns unused permits in a single attempt: if it fails, too few may be admitted, never too
   * many.
   */
  private void returnUnused() {
    try {
      decider.returnUnused();
    } catch (SQLException lost) {
      LOGGER.debug("Rate limits: unused permits stay counted", lost);
      decider.disconnect();
    }
  }

  private void returnAllReserved() {
    reservations.release();
    returnUnused();
  }

  /** Returns to the shared windows if they answer well within the timeout. */
  private boolean rejoin() throws SQLException {
    for (int i = 0; !warm && i < WARM_UP; i++) {
      decider.probe();
    }
    warm = true;
    long before = System.nanoTime();
    decider.probe();
    if (System.nanoTime() - before > timeoutNanos / 2) {
      return false;
    }
    returnAllReserved();
    add(state.drainLocallyAdmitted());
    add(state.rejoin());
    return true;
  }

  private void add(List<Adjustment> admitted) throws SQLException {
    int added = 0;
    try {
      for (List<Adjustment> some : Lists.partition(admitted, WindowStore.MAX_ADDED)) {
        decider.add(some);
        added += some.size();
      }
    } catch (SQLException e) {
      state.fallBack("permits that this node admitted could not be added");
      state.restoreLocallyAdmitted(admitted.subList(added, admitted.size()));
      throw e;
    }
  }
}
