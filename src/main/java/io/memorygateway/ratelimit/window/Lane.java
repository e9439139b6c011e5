package io.memorygateway.ratelimit.window;

import io.memorygateway.ratelimit.window.WindowStore.Admitted;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where requests wait for their share of the keys to be decided. Those that arrive while a
 * transaction is under way go together in the next one; those of busy keys need not wait, for they
 * are counted ahead. While the shared windows cannot be reached, {@code onStorageFailure} decides
 * at once.
 */
final class Lane {
  private static final Logger LOGGER = LoggerFactory.getLogger(Lane.class);

  /** Requests in a transaction at most, so that one statement stays a fraction of the timeout. */
  private static final int BATCH = 512;

  /**
   * A transaction costs the database about as much for one request as for thirty. Where many come,
   * it is not asked more often than this, unless enough of them wait already.
   */
  private static final long GATHER_NANOS = 6_000_000;

  private static final int ENOUGH = 40;

  /** Requests expected within that time that make it worth waiting; fewer never wait. */
  private static final int MANY = 16;

  private final Verdicts verdicts;
  private final LastSeen lastSeen;
  private final DatabaseClock clock;
  private final WindowMetrics metrics;
  private final StorageFailure onStorageFailure;
  private final long patienceNanos;
  private final LocalWindows local;
  private final Prefetch prefetch;
  private final Queue<Ticket> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile @Nullable Thread idleWorker;
  private volatile @Nullable Thread gatheringWorker;
  private volatile boolean looking;
  private long takenAt = System.nanoTime();
  private volatile boolean shared;

  /**
   * Starts apart from the shared windows, until {@link #rejoin}.
   *
   * @param patienceNanos the longest that a request waits; longer than the database may take to
   *     answer, so that one which is lost is noticed before
   */
  Lane(
      RuleSet rules,
      LastSeen lastSeen,
      DatabaseClock clock,
      WindowMetrics metrics,
      StorageFailure onStorageFailure,
      long patienceNanos) {
    this.verdicts = new Verdicts(rules);
    this.lastSeen = lastSeen;
    this.clock = clock;
    this.metrics = metrics;
    this.onStorageFailure = onStorageFailure;
    this.patienceNanos = patienceNanos;
    this.local = new LocalWindows(rules, verdicts);
    this.prefetch = new Prefetch(rules, lastSeen, clock, System::nanoTime, this::look);
    local.open();
  }

  boolean isShared() {
    return shared;
  }

  /** Decides one request of a key, in the caller's thread and within its patience. */
  Decision decide(long keyId, RequestKind kind, long[] limits) {
    Decision counted = shared ? prefetch.take(keyId, kind, limits) : null;
    if (counted != null) {
      return counted;
    }
    Counts seen = lastSeen.get(keyId);
    if (seen != null) {
      long surelyRunning = clock.latest() + Verdicts.DOUBTFUL_MILLIS;
      Decision refused =
          verdicts.refused(
              kind, limits, seen.starts(), seen.used(), clock.earliest(), surelyRunning);
      if (refused != null) {
        return refused;
      }
    }
    while (true) {
      Decision decision = shared ? ask(new Ticket(keyId, kind, limits)) : null;
      if (decision == null) {
        decision = alone(keyId, kind, limits);
      }
      if (decision != null) {
        return decision;
      }
      // The shared windows came back in between.
      Thread.onSpinWait();
    }
  }

  private @Nullable Decision ask(Ticket ticket) {
    queue.add(ticket);
    if (waiting.incrementAndGet() == ENOUGH) {
      LockSupport.unpark(gatheringWorker);
    }
    if (!shared) {
      ticket.release();
    }
    LockSupport.unpark(idleWorker);
    Decision decision = ticket.await(patienceNanos);
    if (decision == null && ticket.isGivenUp()) {
      // Too much waits, or this node is short of processors: no reason to count alone.
      metrics.timedOut();
      return Decision.UNAVAILABLE;
    }
    return decision;
  }

  private @Nullable Decision alone(long keyId, RequestKind kind, long[] limits) {
    return switch (onStorageFailure) {
      case DENY -> shared ? null : Decision.UNAVAILABLE;
      case LOCAL -> local.decide(keyId, kind, limits, clock.earliest(), lastSeen.get(keyId));
    };
  }

  /** Has the worker look after what is counted ahead. */
  private void look() {
    looking = true;
    LockSupport.unpark(gatheringWorker);
    LockSupport.unpark(idleWorker);
  }

  /** What is counted ahead; for the worker. */
  Prefetch prefetch() {
    return prefetch;
  }

  /** Leaves the shared windows; who waits for them goes on without. */
  void fallBack(String reason) {
    if (leave()) {
      metrics.fellBack();
      LOGGER.warn(
          "Rate limits: the shared windows cannot be reached ({}); now: {}",
          reason,
          onStorageFailure);
    }
  }

  /** The same, of one's own accord; returns whether they were in use. */
  boolean leave() {
    boolean left = local.open();
    shared = false;
    for (Ticket ticket = queue.poll(); ticket != null; ticket = queue.poll()) {
      waiting.decrementAndGet();
      ticket.release();
    }
    return left;
  }

  /** What to add to the shared windows before {@link #rejoin}, while this node still decides. */
  List<Admitted> takeAdmitted() {
    return local.take(clock.latest());
  }

  /** What could not be added, to be added later. */
  void putBack(List<Admitted> admitted) {
    local.restore(admitted);
  }

  /**
   * From now on the shared windows decide.
   *
   * @return what to add to them before the next batch
   */
  List<Admitted> rejoin() {
    List<Admitted> rest = local.close(clock.latest());
    shared = true;
    LOGGER.info("Rate limits: the shared windows decide");
    return rest;
  }

  /**
   * Waits, in the worker's thread, until there is something to decide or to be looked after.
   *
   * @return tickets to decide
   */
  List<Ticket> takeBatch(long nanos) {
    gather();
    List<Ticket> batch = poll();
    if (batch.isEmpty()) {
      idleWorker = Thread.currentThread();
      long end = System.nanoTime() + nanos;
      batch = poll();
      // A permit may be left over from a caller whose ticket needed no waking.
      for (long left = nanos; batch.isEmpty() && !looking && left > 0 && !Thread.interrupted(); ) {
        LockSupport.parkNanos(this, left);
        batch = poll();
        left = end - System.nanoTime();
      }
      idleWorker = null;
    }
    looking = false;
    takenAt = System.nanoTime();
    return batch;
  }

  /** Under load, lets more come before the next transaction. */
  private void gather() {
    long elapsed = System.nanoTime() - takenAt;
    if (waiting.get() * GATHER_NANOS < MANY * elapsed) {
      return;
    }
    gatheringWorker = Thread.currentThread();
    while (elapsed < GATHER_NANOS && waiting.get() < ENOUGH && !looking && shared) {
      LockSupport.parkNanos(this, GATHER_NANOS - elapsed);
      elapsed = System.nanoTime() - takenAt;
    }
    gatheringWorker = null;
  }

  private List<Ticket> poll() {
    List<Ticket> batch = new ArrayList<>();
    while (batch.size() < BATCH) {
      Ticket ticket = queue.poll();
      if (ticket == null) {
        break;
      }
      waiting.decrementAndGet();
      if (ticket.send()) {
        batch.add(ticket);
      }
    }
    return batch;
  }
}
