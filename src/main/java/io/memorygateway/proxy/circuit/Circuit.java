package io.memorygateway.proxy.circuit;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Circuit breaker of one target (contract §10). It opens when half of at least 20 calls within 30 s
 * failed, or three in a row. It stays open for 10 s, twice as long each time that a probe fails, up
 * to 2 min, or as long as the target asked to be left alone. Thread-safe.
 */
public final class Circuit {
  private static final int WINDOW_SECONDS = 30;
  private static final int MIN_CALLS = 20;
  private static final float FAILURE_PERCENT = 50;
  private static final int FAILURES_IN_A_ROW = 3;
  private static final Duration FIRST_OPEN = Duration.ofSeconds(10);
  private static final Duration MAX_OPEN = Duration.ofMinutes(2);

  private static final IntervalFunction OPEN =
      IntervalFunction.ofExponentialBackoff(FIRST_OPEN, 2, MAX_OPEN);

  /** Longest wait that a provider may ask for; more is presumed to be a mistake. */
  private static final Duration MAX_RETRY_AFTER = Duration.ofHours(1);

  /**
   * Calls in flight at the same time may be refused this far apart and still count as one refusal.
   */
  private static final Duration SAME_REFUSAL = Duration.ofSeconds(1);

  private final Clock clock;
  private final CircuitBreaker breaker;
  private int failuresInRow;
  private @Nullable Instant openSince;
  private Instant refusedUntil = Instant.EPOCH;
  private volatile Instant openUntil = Instant.EPOCH;

  /** State of a circuit. */
  public enum State {
    /** Calls go through. */
    CLOSED,
    /** Calls are refused. */
    OPEN,
    /** One call is let through as a probe of the target. */
    HALF_OPEN,
    /** Calls are refused until an operator closes it. */
    FORCED_OPEN
  }

  /** Permission for one call; its outcome is reported with it, at most once. */
  public static final class Permit {
    private final boolean probe;
    private final boolean despite;

    private Permit(boolean probe, boolean despite) {
      this.probe = probe;
      this.despite = despite;
    }
  }

  /** Creates a closed circuit. */
  public Circuit(String name, Clock clock) {
    this.clock = clock;
    this.breaker =
        CircuitBreaker.of(
            name,
            CircuitBreakerConfig.custom()
                .clock(clock)
                .currentTimestampFunction(Clock::millis, TimeUnit.MILLISECONDS)
                .slidingWindowType(SlidingWindowType.TIME_BASED)
                .slidingWindowSize(WINDOW_SECONDS)
                .minimumNumberOfCalls(MIN_CALLS)
                .failureRateThreshold(FAILURE_PERCENT)
                .permittedNumberOfCallsInHalfOpenState(1)
                .waitIntervalFunctionInOpenState(this::openFor)
                .writableStackTraceEnabled(false)
                .build());
  }

  /** Milliseconds for which the circuit, which is about to open, stays open. */
  private Long openFor(Integer times) {
    Long millis = OPEN.apply(times);
    openUntil = clock.instant().plusMillis(millis);
    return millis;
  }

  /** Permission for a call; null while the circuit is open. */
  public synchronized @Nullable Permit tryAcquire() {
    boolean permitted = breaker.tryAcquirePermission();
    return permitted ? new Permit(state() == State.HALF_OPEN, false) : null;
  }

  /** Permission for a call that has no other target, whatever the state. */
  public synchronized Permit acquireWhileOpen() {
    Permit permit = tryAcquire();
    return permit == null ? new Permit(false, true) : permit;
  }

  /** Reports that the call was answered. */
  public synchronized void succeeded(Permit permit) {
    failuresInRow = 0;
    State state = state();
    if (permit.despite) {
      if (state == State.OPEN) {
        breaker.transitionToClosedState();
      }
    } else if (state != State.HALF_OPEN || permit.probe) {
      breaker.onSuccess(0, TimeUnit.MILLISECONDS);
    }
    recordState();
  }

  /**
   * Reports that the call failed because of the target.
   *
   * @param retryAfter the wait that the target asked for; null if it did not
   */
  public synchronized void failed(Permit permit, @Nullable Duration retryAfter) {
    failuresInRow++;
    // A call that began before the circuit opened is no evidence of the target's present state.
    if (!permit.despite && (state() != State.HALF_OPEN || permit.probe)) {
      breaker.onError(0, TimeUnit.MILLISECONDS, new FailedCall());
    }
    if (failuresInRow >= FAILURES_IN_A_ROW && state() == State.CLOSED) {
      breaker.transitionToOpenState();
    }
    if (retryAfter != null && state() != State.FORCED_OPEN) {
      refuseFor(retryAfter);
    }
    recordState();
  }

  private void refuseFor(Duration asked) {
    Duration length = asked.compareTo(MAX_RETRY_AFTER) > 0 ? MAX_RETRY_AFTER : asked;
    Instant until = clock.instant().plus(length);
    if (state() != State.OPEN || until.isAfter(refusedUntil.plus(SAME_REFUSAL))) {
      refusedUntil = until;
      openUntil = until;
      breaker.transitionToOpenStateUntil(until);
    }
  }

  /** Reports that the call ended without evidence about the target. */
  public synchronized void released(Permit permit) {
    if (!permit.despite && (state() != State.HALF_OPEN || permit.probe)) {
      breaker.releasePermission();
    }
  }

  /** Opens the circuit until {@link #close}; for operators. */
  public synchronized void open() {
    breaker.transitionToForcedOpenState();
    recordState();
  }

  /** Closes the circuit and forgets failures; for operators. */
  public synchronized void close() {
    breaker.reset();
    failuresInRow = 0;
    recordState();
  }

  private void recordState() {
    if (state() == State.CLOSED) {
      openSince = null;
    } else if (openSince == null) {
      openSince = clock.instant();
    }
  }

  /** The current state. */
  public State state() {
    return switch (breaker.getState()) {
      case OPEN -> State.OPEN;
      case HALF_OPEN -> State.HALF_OPEN;
      case FORCED_OPEN -> State.FORCED_OPEN;
      default -> State.CLOSED;
    };
  }

  /** Time at which it opened; null while it is closed. */
  public synchronized @Nullable Instant openSince() {
    return openSince;
  }

  /**
   * Time at which the next call is let through as a probe; null if the circuit is not open, or was
   * opened by an operator.
   */
  public @Nullable Instant openUntil() {
    return state() == State.OPEN ? openUntil : null;
  }

  /** Failed calls among those that count at present. */
  public int failures() {
    return breaker.getMetrics().getNumberOfFailedCalls();
  }

  /** Cause that the breaker requires; it is never shown. */
  private static final class FailedCall extends Exception {
    FailedCall() {
      super("the call failed", null, false, false);
    }
  }
}
