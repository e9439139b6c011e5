package io.memorygateway.ratelimit.window;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The queue between the callers of a lane and its worker. Requests that arrive while a transaction
 * is running form one batch of the next one.
 *
 * <p>{@link #add} and {@link #wakeWorker} are for any thread, all else for the lane's worker.
 */
final class RequestQueue {
  /** Largest batch in requests, so that one statement takes a fraction of the timeout. */
  private static final int MAX_BATCH = 512;

  /**
   * Least time between transactions under load, unless a worthwhile batch waits: a transaction
   * costs the database about as much for one request as for thirty.
   */
  private static final long GATHER_NANOS = 6_000_000;

  private static final int WORTHWHILE_BATCH = 40;

  /**
   * Requests expected within that time that make gathering worthwhile; below, a request never waits
   * for it.
   */
  private static final int UNDER_LOAD = 16;

  private final Queue<PermitRequest> requests = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private volatile @Nullable Thread idleWorker;
  private volatile @Nullable Thread gatheringWorker;
  private volatile boolean workerWanted;
  private long lastTakenAt = System.nanoTime();

  /** Queues a request and wakes the worker if it is idle. */
  void add(PermitRequest request) {
    requests.add(request);
    if (size.incrementAndGet() == WORTHWHILE_BATCH) {
      LockSupport.unpark(gatheringWorker);
    }
    LockSupport.unpark(idleWorker);
  }

  /** Makes {@link #takeBatch} return soon, even without requests. */
  void wakeWorker() {
    workerWanted = true;
    LockSupport.unpark(gatheringWorker);
    LockSupport.unpark(idleWorker);
  }

  /**
   * Waits for requests, {@link #wakeWorker}, an interrupt or the timeout.
   *
   * @return requests to decide, all of them sent
   */
  List<PermitRequest> takeBatch(long nanos) {
    gather();
    List<PermitRequest> batch = poll();
    if (batch.isEmpty()) {
      idleWorker = Thread.currentThread();
      long end = System.nanoTime() + nanos;
      batch = poll();
      // A park permit may be left over from a request that needed no waking.
      for (long left = nanos;
          batch.isEmpty() && !workerWanted && left > 0 && !Thread.interrupted(); ) {
        LockSupport.parkNanos(this, left);
        batch = poll();
        left = end - System.nanoTime();
      }
      idleWorker = null;
    }
    workerWanted = false;
    lastTakenAt = System.nanoTime();
    return batch;
  }

  /** Releases all requests: their callers continue without the shared windows. */
  void releaseAll() {
    for (PermitRequest request = requests.poll(); request != null; request = requests.poll()) {
      size.decrementAndGet();
      request.release();
    }
  }

  /** Waits, under load, until the batch is worthwhile. */
  private void gather() {
    long elapsed = System.nanoTime() - lastTakenAt;
    if (size.get() * GATHER_NANOS < UNDER_LOAD * elapsed) {
      return;
    }
    gatheringWorker = Thread.currentThread();
    while (elapsed < GATHER_NANOS
        && size.get() < WORTHWHILE_BATCH
        && !workerWanted
        && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(this, GATHER_NANOS - elapsed);
      elapsed = System.nanoTime() - lastTakenAt;
    }
    gatheringWorker = null;
  }

  private List<PermitRequest> poll() {
    List<PermitRequest> batch = new ArrayList<>();
    while (batch.size() < MAX_BATCH) {
      PermitRequest request = requests.poll();
      if (request == null) {
        break;
      }
      size.decrementAndGet();
      if (request.send()) {
        batch.add(request);
      }
    }
    return batch;
  }
}
