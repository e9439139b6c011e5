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
 * The circuit breaker of one target (contract §10). It opens when half of at least 20 calls within
 * 30 s failed, or three in a row, for 10 s, and for twice as long each time that a probe fails, up
 * to 2 min; a target that says when it wants to be asked again is left alone for as long. For any
 * number of threads.
 */
public final class Circuit {
  private static final int WINDOW_SECONDS = 30;
  private static final int FEWEST_CALLS = 20;
  private static final float FAILURE_PERCENT = 50;
  private static final int FAILURES_IN_A_ROW = 3;
  private static final Duration FIRST_OPEN = Duration.ofSeconds(10);
  private static final Duration LONGEST_OPEN = Duration.ofMinutes(2);

  /** What a provider may ask for; more is taken for a mistake. */
  private static final Duration LONGEST_RETRY_AFTER = Duration.ofHours(1);

  /** Calls in flight at the same time are refused at slightly different times. */
  private static final Duration SAME_REFUSAL = Duration.ofSeconds(1);

  private final Clock clock;
  private final CircuitBreaker breaker;
  private int failuresInRow;
  private @Nullable Instant openSince;
  private Instant refusedUntil = Instant.EPOCH;

  /** What a circuit does with calls. */
  public enum State {
    /** Calls go through. */
    CLOSED,
    /** Calls are kept away. */
    OPEN,
    /** One call is let through, to see whether the target is well again. */
    HALF_OPEN,
    /** Calls are kept away until an operator closes it. */
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

  /** A closed circuit. */
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
                .minimumNumberOfCalls(FEWEST_CALLS)
                .failureRateThreshold(FAILURE_PERCENT)
                .permittedNumberOfCallsInHalfOpenState(1)
                .waitIntervalFunctionInOpenState(
                    IntervalFunction.ofExponentialBackoff(FIRST_OPEN, 2, LONGEST_OPEN))
                .writableStackTraceEnabled(false)
                .build());
  }

  /** Permission for a call; null while calls are kept away. */
  public synchronized @Nullable Permit tryAcquire() {
    boolean permitted = breaker.tryAcquirePermission();
    return permitted ? new Permit(state() == State.HALF_OPEN, false) : null;
  }

  /** Permission for a call that has nowhere else to go, whatever the state. */
  public synchronized Permit acquireDespite() {
    Permit permit = tryAcquire();
    return permit == null ? new Permit(false, true) : permit;
  }

  /** The call was answered. */
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
    noteState();
  }

  /**
   * The call failed, and the target is the cause.
   *
   * @param retryAfter when it wants to be asked again, if it said so
   */
  public synchronized void failed(Permit permit, @Nullable Duration retryAfter) {
    failuresInRow++;
    // What began before the circuit opened says nothing about the target's present state.
    if (!permit.despite && (state() != State.HALF_OPEN || permit.probe)) {
      breaker.onError(0, TimeUnit.MILLISECONDS, new FailedCall());
    }
    if (failuresInRow >= FAILURES_IN_A_ROW && state() == State.CLOSED) {
      breaker.transitionToOpenState();
    }
    if (retryAfter != null && state() != State.FORCED_OPEN) {
      refuseFor(retryAfter);
    }
    noteState();
  }

  private void refuseFor(Duration asked) {
    Duration length = asked.compareTo(LONGEST_RETRY_AFTER) > 0 ? LONGEST_RETRY_AFTER : asked;
    Instant until = clock.instant().plus(length);
    if (state() != State.OPEN || until.isAfter(refusedUntil.plus(SAME_REFUSAL))) {
      refusedUntil = until;
      breaker.transitionToOpenStateUntil(until);
    }
  }

  /** The call ended without an outcome that says anything of the target. */
  public synchronized void released(Permit permit) {
    if (!permit.despite && (state() != State.HALF_OPEN || permit.probe)) {
      breaker.releasePermission();
    }
  }

  /** Keeps calls away until {@link #close}; by an operator. */
  public synchronized void open() {
    breaker.transitionToForcedOpenState();
    noteState();
  }

  /** Lets calls through and forgets what failed; by an operator. */
  public synchronized void close() {
    breaker.reset();
    failuresInRow = 0;
    noteState();
  }

  private void noteState() {
    if (state() == State.CLOSED) {
      openSince = null;
    } else if (openSince == null) {
      openSince = clock.instant();
    }
  }

  /** The state now. */
  public State state() {
    return switch (breaker.getState()) {
      case OPEN -> State.OPEN;
      case HALF_OPEN -> State.HALF_OPEN;
      case FORCED_OPEN -> State.FORCED_OPEN;
      default -> State.CLOSED;
    };
  }

  /** When it opened, and has not been closed since; null if it is closed. */
  public synchronized @Nullable Instant openSince() {
    return openSince;
  }

  /** Calls that failed, of those that count at present. */
  public int failures() {
    return breaker.getMetrics().getNumberOfFailedCalls();
  }

  /** The breaker wants a cause; it is never shown. */
  private static final class FailedCall extends Exception {
    FailedCall() {
      super("the call failed", null, false, false);
    }
  }
}
