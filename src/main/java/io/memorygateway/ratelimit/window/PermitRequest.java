package io.memorygateway.ratelimit.window;

import io.memorygateway.concurrent.TimedPark;
import io.memorygateway.http.api.RequestKind;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One request that waits for a batch to decide it. Each transition is a compare-and-set, so a
 * request whose caller has timed out is never counted by a batch that has not been sent yet, and
 * never decided twice.
 */
final class PermitRequest {
  /** States before the final one, a {@link Decision}. */
  private enum Step {
    QUEUED,
    SENT,
    RELEASED,
    TIMED_OUT
  }

  /** Slices of a wait, so that a pause of the whole process uses up only one. */
  private static final int SLICES = 5;

  private final long keyId;
  private final RequestKind kind;
  private final long[] limits;
  private final Thread caller = Thread.currentThread();
  private long undecidedSince;
  private final AtomicReference<Object> state = new AtomicReference<>(Step.QUEUED);

  /**
   * @param limits of this key, by rule; not to be changed
   */
  PermitRequest(long keyId, RequestKind kind, long[] limits) {
    this.keyId = keyId;
    this.kind = kind;
    this.limits = limits;
  }

  long keyId() {
    return keyId;
  }

  RequestKind kind() {
    return kind;
  }

  long[] limits() {
    return limits;
  }

  /** Puts the request into a batch, in the worker's thread; false if the caller no longer waits. */
  boolean send() {
    return state.compareAndSet(Step.QUEUED, Step.SENT);
  }

  /** Whether the caller of a sent request still waits. */
  boolean isSent() {
    return state.get() == Step.SENT;
  }

  /** Notes, in the worker's thread, that its window is full of permits which may come back. */
  void undecided(long now) {
    undecidedSince = undecidedSince == 0 ? now : undecidedSince;
  }

  /** Whether it has been undecided for so long. */
  boolean isOverdue(long now, long nanos) {
    return undecidedSince != 0 && now - undecidedSince > nanos;
  }

  /** Passes the decision to the caller, in the worker's thread. */
  void decide(Decision decision) {
    if (state.compareAndSet(Step.SENT, decision)) {
      LockSupport.unpark(caller);
    }
  }

  /** Lets the caller continue without the shared windows, which cannot decide. */
  void release() {
    if (state.compareAndSet(Step.QUEUED, Step.RELEASED)
        || state.compareAndSet(Step.SENT, Step.RELEASED)) {
      LockSupport.unpark(caller);
    }
  }

  /**
   * Waits for the decision, in the caller's thread.
   *
   * @param timeoutNanos time in which this process ran; a pause does not use it up
   * @return null if released or timed out
   */
  @Nullable Decision await(long timeoutNanos) {
    boolean interrupted = false;
    try {
      for (int slice = 0; slice < SLICES; slice++) {
        long end = System.nanoTime() + timeoutNanos / SLICES;
        for (long left = timeoutNanos / SLICES; left > 0; left = end - System.nanoTime()) {
          if (isDecided()) {
            return decision(state.get());
          }
          TimedPark.parkNanos(this, left, this::isDecided);
          interrupted |= Thread.interrupted();
        }
      }
      Object last = state.getAndUpdate(s -> s instanceof Decision ? s : Step.TIMED_OUT);
      return decision(last);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Whether the caller has nothing more to wait for. */
  private boolean isDecided() {
    Object now = state.get();
    return now != Step.QUEUED && now != Step.SENT;
  }

  boolean isTimedOut() {
    return state.get() == Step.TIMED_OUT;
  }

  private static @Nullable Decision decision(@Nullable Object state) {
    return state instanceof Decision decision ? decision : null;
  }
}
