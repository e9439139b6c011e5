package io.memorygateway.ratelimit.window;

import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.ratelimit.window.WindowStore.Admitted;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Empties a lane: takes what waits, decides it in one transaction, hands the decisions out, again.
 * One thread and one connection, so that a node never fights itself for a row.
 */
final class LaneWorker implements Runnable {
  private static final Logger LOGGER = LoggerFactory.getLogger(LaneWorker.class);

  private static final Duration PING_AFTER_IDLE = Duration.ofSeconds(1);

  /** Transactions before the first request, for a cold JVM is slow enough to miss a timeout. */
  private static final int WARM_UP = 100;

  private static final Duration PAUSE_WHILE_BUSY = Duration.ofMillis(50);

  /** No key has this id. */
  static final long PROBE_KEY = 0;

  private final Lane lane;
  private final RuleSet rules;
  private final Verdicts verdicts;
  private final Prefetch prefetch;
  private final WindowStore.Source source;
  private final LastSeen lastSeen;
  private final WindowMetrics metrics;
  private final long timeoutNanos;
  private final long probeNanos;
  private final CountDownLatch started = new CountDownLatch(1);
  private @Nullable WindowStore store;
  private boolean warm;
  private volatile boolean stopped;

  LaneWorker(
      Lane lane,
      RuleSet rules,
      WindowStore.Source source,
      LastSeen lastSeen,
      WindowMetrics metrics,
      long timeoutNanos,
      long probeNanos) {
    this.lane = lane;
    this.rules = rules;
    this.verdicts = new Verdicts(rules);
    this.prefetch = lane.prefetch();
    this.source = source;
    this.lastSeen = lastSeen;
    this.metrics = metrics;
    this.timeoutNanos = timeoutNanos;
    this.probeNanos = probeNanos;
  }

  /** Waits until it has connected, or failed to for the first time. */
  void awaitStarted(Duration atMost) throws InterruptedException {
    if (!started.await(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
      LOGGER.warn("Rate limits: the database is slow to connect; serving without it for now");
    }
  }

  /** Ends soon after; the thread is to be interrupted. */
  void stop() {
    stopped = true;
  }

  @Override
  public void run() {
    while (!stopped) {
      try {
        connected();
        if (!lane.isShared() && !rejoin()) {
          LockSupport.parkNanos(this, probeNanos);
          continue;
        }
        started.countDown();
        work();
      } catch (SQLException | RuntimeException e) {
        disconnect();
        lane.fallBack(String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
        LOGGER.debug("Rate limits: the store failed", e);
        started.countDown();
        LockSupport.parkNanos(this, probeNanos);
      }
    }
    giveBackAll();
    disconnect();
    lane.leave();
  }

  private void work() throws SQLException {
    boolean holding = prefetch.holdsAny();
    List<Ticket> batch = lane.takeBatch(holding ? Prefetch.LOOK_NANOS : PING_AFTER_IDLE.toNanos());
    decide(batch);
    if (batch.isEmpty() && !holding && !stopped) {
      ping();
    }
    giveBack();
  }

  /** Too few may be admitted if it fails, never too many; so nothing is tried twice. */
  private void giveBack() throws SQLException {
    List<Admitted> unused = prefetch.takeUnused();
    if (!unused.isEmpty()) {
      WindowStore open = connected();
      try {
        open.giveBack(unused);
      } catch (SQLException lost) {
        LOGGER.debug("Rate limits: requests that did not come stay counted", lost);
        disconnect();
      }
    }
  }

  private void giveBackAll() {
    prefetch.release();
    try {
      giveBack();
    } catch (SQLException e) {
      LOGGER.debug("Rate limits: requests that did not come stay counted", e);
    }
  }

  private WindowStore connected() throws SQLException {
    WindowStore open = store;
    if (open == null) {
      open = source.open();
      store = open;
    }
    return open;
  }

  private void disconnect() {
    if (store != null) {
      store.close();
      store = null;
    }
  }

  /** Back to the shared windows, if they answer well within the timeout. */
  private boolean rejoin() throws SQLException {
    for (int i = 0; !warm && i < WARM_UP; i++) {
      probe();
    }
    warm = true;
    long before = System.nanoTime();
    probe();
    if (System.nanoTime() - before > timeoutNanos / 2) {
      return false;
    }
    giveBackAll();
    add(lane.takeAdmitted());
    add(lane.rejoin());
    return true;
  }

  private void probe() throws SQLException {
    Ticket ticket = new Ticket(PROBE_KEY, probeKind(), rules.limits());
    ticket.send();
    settle(KeyBatch.of(List.of(ticket)));
  }

  private RequestKind probeKind() {
    for (RequestKind kind : RequestKind.values()) {
      if (rules.applicable(kind).length > 0) {
        return kind;
      }
    }
    throw new IllegalStateException("no rules, no store");
  }

  private void add(List<Admitted> admitted) throws SQLException {
    try {
      if (!admitted.isEmpty()) {
        connected().add(admitted);
      }
    } catch (SQLException e) {
      lane.fallBack("what this node admitted could not be added");
      lane.putBack(admitted);
      throw e;
    }
  }

  private void decide(List<Ticket> batch) throws SQLException {
    try {
      settleOnOneOrOtherConnection(batch);
    } catch (SQLException e) {
      if (!isServerBusy(e)) {
        throw e;
      }
      // The windows are where they were: whoever waits is refused, and nobody counts alone.
      LOGGER.warn("Rate limits: requests are refused, the database is busy: {}", e.getMessage());
      batch.forEach(ticket -> ticket.decide(Decision.UNAVAILABLE));
      LockSupport.parkNanos(this, PAUSE_WHILE_BUSY.toNanos());
    } finally {
      batch.forEach(Ticket::release);
    }
  }

  private void settleOnOneOrOtherConnection(List<Ticket> batch) throws SQLException {
    try {
      settle(prefetch.plan(batch));
    } catch (SQLException lost) {
      disconnect();
      if (isServerBusy(lost) || DatabaseFailure.isTimeout(lost)) {
        throw lost;
      }
      // One dropped connection is no outage. If the transaction was committed all the same, its
      // requests count twice: too few may be admitted, never too many.
      try {
        settle(KeyBatch.of(batch.stream().filter(Ticket::isSent).toList()));
      } catch (SQLException again) {
        disconnect();
        again.addSuppressed(lost);
        throw again;
      }
    }
  }

  /** Whether the server answers, but did not do what it was asked. */
  private static boolean isServerBusy(SQLException failure) {
    return switch (DatabaseFailure.of(failure)) {
      case ROLLED_BACK, LOCK_WAIT_TIMEOUT, UNAVAILABLE -> true;
      default -> false;
    };
  }

  private void ping() throws SQLException {
    try {
      connected().ping();
    } catch (SQLException lost) {
      disconnect();
      if (DatabaseFailure.isTimeout(lost)) {
        throw lost;
      }
      connected().ping();
    }
  }

  private void settle(List<KeyBatch> keys) throws SQLException {
    int requests = keys.stream().mapToInt(KeyBatch::wanted).sum();
    List<KeyBatch> open = keys;
    while (!open.isEmpty()) {
      long before = System.nanoTime();
      List<KeyBatch> again = new ArrayList<>();
      connected()
          .ask(
              open,
              (key, reply) -> {
                if (reply == null) {
                  again.add(key);
                } else {
                  lastSeen.put(key.keyId(), reply.counts());
                  key.settle(rules, verdicts, reply);
                  prefetch.granted(key, reply);
                }
              });
      metrics.stored(requests, (System.nanoTime() - before) / 1e9);
      open = again;
    }
  }
}
