package io.memorygateway.ratelimit.window;

import io.memorygateway.concurrent.TimedPark;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One request that waits for a batch to decide it. Each step is a compare-and-set, so a caller that
 * gave up is never counted by a batch that has not left yet, and never decided twice.
 */
final class Ticket {
  private enum Step {
    WAITING,
    SENT,
    RELEASED,
    GIVEN_UP
  }

  /** A wait is made of this many slices, so that a pause of the whole process eats only one. */
  private static final int SLICES = 5;

  private final long keyId;
  private final RequestKind kind;
  private final long[] limits;
  private final Thread caller = Thread.currentThread();
  private final AtomicReference<Object> state = new AtomicReference<>(Step.WAITING);

  /**
   * A request of the calling thread.
   *
   * @param limits of this key, by rule; not to be changed
   */
  Ticket(long keyId, RequestKind kind, long[] limits) {
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

  /** The worker puts it into a statement. False: the caller is gone. */
  boolean send() {
    return state.compareAndSet(Step.WAITING, Step.SENT);
  }

  /** Whether the caller of a sent ticket still waits. */
  boolean isSent() {
    return state.get() == Step.SENT;
  }

  /** The worker hands over the decision. */
  void decide(Decision decision) {
    if (state.compareAndSet(Step.SENT, decision)) {
      LockSupport.unpark(caller);
    }
  }

  /** The shared windows cannot decide: the caller is to go on without them. */
  void release() {
    if (state.compareAndSet(Step.WAITING, Step.RELEASED)
        || state.compareAndSet(Step.SENT, Step.RELEASED)) {
      LockSupport.unpark(caller);
    }
  }

  /**
   * Waits in the caller's thread.
   *
   * @param timeoutNanos time in which this process ran; a pause does not use it up
   * @return null if released, or if the time is over
   */
  @Nullable Decision await(long timeoutNanos) {
    boolean interrupted = false;
    try {
      for (int slice = 0; slice < SLICES; slice++) {
        long end = System.nanoTime() + timeoutNanos / SLICES;
        for (long left = timeoutNanos / SLICES; left > 0; left = end - System.nanoTime()) {
          Object now = state.get();
          if (now != Step.WAITING && now != Step.SENT) {
            return decision(now);
          }
          TimedPark.parkNanos(this, left);
          interrupted |= Thread.interrupted();
        }
      }
      Object last = state.getAndUpdate(s -> s instanceof Decision ? s : Step.GIVEN_UP);
      return decision(last);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Whether the caller stopped waiting because its time was over. */
  boolean isGivenUp() {
    return state.get() == Step.GIVEN_UP;
  }

  private static @Nullable Decision decision(@Nullable Object state) {
    return state instanceof Decision decision ? decision : null;
  }
}
