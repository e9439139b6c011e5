package io.memorygateway.concurrent;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Bytes of a {@link HeapBudget} that one piece of work holds. Thread-safe. */
public final class HeapReservation implements AutoCloseable {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final @Nullable HeapBudget budget;
  private final long key;
  private long held;
  private boolean closed;

  /**
   * Creates an empty reservation.
   *
   * @param budget null if nothing is bounded
   * @param key {@code api_keys.id}, or {@link HeapBudget#BACKGROUND}
   */
  public HeapReservation(@Nullable HeapBudget budget, long key) {
    this.budget = budget;
    this.key = key;
  }

  public synchronized long held() {
    return held;
  }

  /** Reserves more; false if the budget does not have it, or the reservation is closed. */
  public boolean tryAdd(long bytes) {
    return tryAdd(bytes, true);
  }

  private synchronized boolean tryAdd(long bytes, boolean last) {
    if (budget != null && (closed || !budget.take(key, bytes, held + bytes, last))) {
      return false;
    }
    held += bytes;
    return true;
  }

  /**
   * Reserves more, and waits until the budget has it; false after the timeout or an interrupt. More
   * than one key may hold is reduced to what one key may hold.
   *
   * @param besides bytes that the same work holds in another reservation
   */
  public boolean await(long bytes, long besides, Duration timeout) {
    long wanted = atMost(bytes, besides);
    if (wanted <= 0) {
      return true;
    }
    long end = System.nanoTime() + timeout.toNanos();
    while (!tryAdd(wanted, false)) {
      if (System.nanoTime() >= end || Thread.currentThread().isInterrupted()) {
        return tryAdd(wanted, true);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }

  /**
   * Reserves more for what grows, and waits for it if nobody else waits for the same, the share of
   * the key or room on the node: of two that hold half of what they need, one has to give up.
   */
  public boolean growAlone(long bytes, Duration timeout) {
    long wanted = atMost(bytes, 0);
    if (wanted <= 0 || tryAdd(wanted, false)) {
      return true;
    }
    String awaited = budget == null ? "" : budget.awaited(key, wanted, held() + wanted);
    if (budget == null || !budget.growing().add(awaited)) {
      return tryAdd(wanted, true);
    }
    try {
      return await(wanted, 0, timeout);
    } finally {
      budget.growing().remove(awaited);
    }
  }

  /** What one key may hold of more bytes. */
  private long atMost(long bytes, long besides) {
    return budget == null ? bytes : Math.min(bytes, budget.maxOf(key) - held() - besides);
  }

  /** Releases what is held above a number of bytes. */
  public synchronized void shrinkTo(long bytes) {
    if (budget != null && !closed && bytes < held) {
      budget.release(key, held - bytes);
      held = bytes;
    }
  }

  /** Releases so many of the bytes that are held. */
  public synchronized void release(long bytes) {
    shrinkTo(Math.max(0, held - bytes));
  }

  /** Releases everything; nothing can be reserved any more. */
  @Override
  public synchronized void close() {
    shrinkTo(0);
    closed = true;
  }
}
