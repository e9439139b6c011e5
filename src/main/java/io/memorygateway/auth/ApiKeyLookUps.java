package io.memorygateway.auth;

import io.dropwizard.lifecycle.Managed;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.database.FailuresInARow;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Look-ups of keys in the database, on a separate connection and thread, so that no other work on
 * the database delays them: all that wait share one statement, up to a number. Revalidations of
 * keys that were valid go first, so that callers with unknown keys cannot hold up the refusal of a
 * revoked one.
 *
 * <p>While the database cannot be reached every look-up fails immediately, and the thread tries to
 * connect again every {@link #PROBE_INTERVAL}.
 */
final class ApiKeyLookUps implements Managed, ApiKeyVerifier.LookUps {
  private static final Logger LOGGER = LoggerFactory.getLogger(ApiKeyLookUps.class);

  /** Hashes in a statement at most, and how many of them are reserved for first look-ups. */
  static final int BATCH = 128;

  static final int FIRST_LOOK_UPS_IN_BATCH = 32;

  /** Look-ups of either urgency that may wait at a time. */
  static final int QUEUE_CAPACITY = 2000;

  static final Duration PROBE_INTERVAL = Duration.ofMillis(500);

  /**
   * Idle time after which the connection is pinged: less than the server's limit ({@code
   * SessionLimits}).
   */
  static final Duration PING_AFTER_IDLE = Duration.ofSeconds(5);

  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(50);

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(1);

  private final KeyStore.Source source;
  private final AuthMetrics metrics;
  private final long pingAfterIdleNanos;
  private final FailuresInARow failures = new FailuresInARow();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition queued = lock.newCondition();
  private final Deque<LookUp> revalidations = new ArrayDeque<>();
  private final Deque<LookUp> firstLookUps = new ArrayDeque<>();
  private final Thread thread = new Thread(this::run, "key-look-up");
  private @Nullable KeyStore store;
  private volatile boolean reachable = true;
  private volatile boolean stopped;

  private record LookUp(String hash, CompletableFuture<Optional<ApiKey>> result) {}

  /**
   * @param pingAfterIdle idle time after which the connection is pinged
   */
  ApiKeyLookUps(KeyStore.Source source, AuthMetrics metrics, Duration pingAfterIdle) {
    this.source = source;
    this.metrics = metrics;
    this.pingAfterIdleNanos = pingAfterIdle.toNanos();
    thread.setDaemon(true);
  }

  @Override
  public CompletableFuture<Optional<ApiKey>> find(String hash, Urgency urgency) {
    LookUp lookUp = new LookUp(hash, new CompletableFuture<>());
    lock.lock();
    try {
      Deque<LookUp> queue = urgency == Urgency.REVALIDATION ? revalidations : firstLookUps;
      if (!reachable) {
        return CompletableFuture.failedFuture(LookUpException.unreachable(null));
      }
      if (stopped || queue.size() >= QUEUE_CAPACITY) {
        metrics.rejected();
        return CompletableFuture.failedFuture(
            LookUpException.failed("too many look-ups wait", null));
      }
      queue.add(lookUp);
      queued.signal();
    } finally {
      lock.unlock();
    }
    return lookUp.result();
  }

  boolean isReachable() {
    return reachable;
  }

  @Override
  public void start() {
    thread.start();
  }

  @Override
  public void stop() throws InterruptedException {
    stopped = true;
    thread.interrupt();
    thread.join(STOP_TIMEOUT.toMillis());
    failAll(LookUpException.failed("the node stops", null));
  }

  private void run() {
    while (!stopped) {
      try {
        KeyStore open = connect();
        List<LookUp> batch = takeBatch();
        if (batch.isEmpty()) {
          ping(open);
        } else {
          complete(open, batch);
        }
      } catch (SQLException e) {
        markUnreachable(e);
        backOff(PROBE_INTERVAL);
      } catch (InterruptedException e) {
        // Only stop() interrupts the thread.
        Thread.currentThread().interrupt();
        break;
      } catch (RuntimeException e) {
        LOGGER.error("The thread that looks up API keys goes on after a failure", e);
        backOff(PROBE_INTERVAL);
      }
    }
    disconnect();
  }

  private KeyStore connect() throws SQLException {
    KeyStore open = store;
    if (open == null) {
      open = source.open();
      store = open;
      if (!reachable) {
        reachable = true;
        LOGGER.info("API keys can be looked up again");
      }
    }
    return open;
  }

  private void disconnect() {
    if (store != null) {
      store.close();
      store = null;
    }
  }

  private void markUnreachable(SQLException e) {
    disconnect();
    if (reachable) {
      LOGGER.warn("API keys cannot be looked up, the database cannot be reached: {}", e.toString());
    }
    LookUpException unreachable = LookUpException.unreachable(e);
    lock.lock();
    try {
      reachable = false;
    } finally {
      lock.unlock();
    }
    failAll(unreachable);
  }

  /** Uses an idle connection before the server closes it; replaces it if the server already did. */
  private void ping(KeyStore open) throws SQLException {
    try {
      open.ping();
    } catch (SQLException e) {
      disconnect();
      if (DatabaseFailure.isTimeout(e)) {
        throw e;
      }
    }
  }

  /** Look-ups that wait; none if none arrived for some seconds. */
  private List<LookUp> takeBatch() throws InterruptedException {
    List<LookUp> batch = new ArrayList<>();
    lock.lockInterruptibly();
    try {
      long left = pingAfterIdleNanos;
      while (revalidations.isEmpty() && firstLookUps.isEmpty() && left > 0) {
        left = queued.awaitNanos(left);
      }
      move(revalidations, batch, BATCH - Math.min(FIRST_LOOK_UPS_IN_BATCH, firstLookUps.size()));
      move(firstLookUps, batch, BATCH);
    } finally {
      lock.unlock();
    }
    return batch;
  }

  private static void move(Deque<LookUp> from, List<LookUp> to, int until) {
    while (to.size() < until && !from.isEmpty()) {
      to.add(from.remove());
    }
  }

  /**
   * Completes every look-up of the batch, with a key, without one or with a failure.
   *
   * @throws SQLException if the database cannot be reached
   */
  private void complete(KeyStore open, List<LookUp> batch) throws SQLException {
    try {
      try {
        find(open, batch);
      } catch (SQLException e) {
        disconnect();
        if (!isConnectionLost(e)) {
          throw e;
        }
        if (DatabaseFailure.isTimeout(e)) {
          throw new UnreachableException(e);
        }
        // One dropped connection is no outage.
        retry(batch);
      }
      failures.end();
    } catch (UnreachableException e) {
      fail(batch, LookUpException.unreachable(e));
      throw e;
    } catch (SQLException | RuntimeException e) {
      if (failures.isWorthALine()) {
        LOGGER.warn("API keys cannot be looked up: {}", e.toString());
      }
      fail(batch, LookUpException.failed("the look-up failed", e));
      backOff(PAUSE_AFTER_FAILURE);
    }
  }

  /** Whether the connection was lost; else the server answered. */
  private static boolean isConnectionLost(SQLException failure) {
    return switch (DatabaseFailure.of(failure)) {
      case CONNECTION_LOST, NOT_CONNECTED -> true;
      default -> false;
    };
  }

  private void retry(List<LookUp> batch) throws SQLException {
    KeyStore again;
    try {
      again = connect();
    } catch (SQLException e) {
      throw new UnreachableException(e);
    }
    try {
      find(again, batch);
    } catch (SQLException e) {
      disconnect();
      throw isConnectionLost(e) ? new UnreachableException(e) : e;
    }
  }

  private void find(KeyStore open, List<LookUp> batch) throws SQLException {
    metrics.asked(batch.size());
    Map<String, ApiKey> found =
        open.find(batch.stream().map(LookUp::hash).distinct().toList()).stream()
            .collect(Collectors.toMap(ApiKey::secretHash, Function.identity()));
    for (LookUp lookUp : batch) {
      lookUp.result().complete(Optional.ofNullable(found.get(lookUp.hash())));
    }
  }

  private void failAll(LookUpException failure) {
    List<LookUp> waiting;
    lock.lock();
    try {
      waiting = new ArrayList<>(revalidations);
      waiting.addAll(firstLookUps);
      revalidations.clear();
      firstLookUps.clear();
    } finally {
      lock.unlock();
    }
    fail(waiting, failure);
  }

  private static void fail(List<LookUp> lookUps, LookUpException failure) {
    lookUps.forEach(lookUp -> lookUp.result().completeExceptionally(failure));
  }

  private void backOff(Duration pause) {
    LockSupport.parkNanos(this, pause.toNanos());
  }

  private static final class UnreachableException extends SQLException {
    UnreachableException(SQLException cause) {
      super(cause.getMessage(), cause.getSQLState(), cause.getErrorCode(), cause);
    }
  }
}
