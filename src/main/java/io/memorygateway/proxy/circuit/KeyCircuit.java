package io.memorygateway.proxy.circuit;

import io.memorygateway.proxy.circuit.Circuit.State;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Circuit breaker of one target for one key, or for all of them (contract §10). It opens when half
 * of at least 20 calls within 30 s failed, or three in a row. It stays open for 10 s, twice as long
 * each time that a probe fails, up to 2 min, or as long as the target asked to be left alone.
 * Thread-safe.
 */
final class KeyCircuit {
  private static final Duration SLICE = Duration.ofSeconds(3);
  private static final int SLICES = 10;
  private static final int MIN_CALLS = 20;
  private static final int FAILURES_IN_A_ROW = 3;
  private static final Duration FIRST_OPEN = Duration.ofSeconds(10);
  private static final Duration MAX_OPEN = Duration.ofMinutes(2);

  /** A probe that has not ended after so long lets the next one in. */
  private static final Duration PROBE = Duration.ofSeconds(5);

  /** Longest wait that a provider may ask for; more is presumed to be a mistake. */
  private static final Duration MAX_RETRY_AFTER = Duration.ofHours(1);

  /**
   * Calls in flight at the same time may be refused this far apart and still count as one refusal.
   */
  private static final Duration SAME_REFUSAL = Duration.ofSeconds(1);

  private final InstantSource clock;
  private final long project;
  private final OutcomeWindow window;
  private volatile State state = State.CLOSED;
  private int failuresInRow;

  /** Whether something since the last answer says of the target that it fails for others, too. */
  private boolean isProven;

  /** How long it is to be open the next time. */
  private Duration nextOpen = FIRST_OPEN;

  private @Nullable Instant openSince;
  private Instant openUntil = Instant.EPOCH;
  private Instant probedUntil = Instant.EPOCH;
  private Instant usedAt;

  /** What a call through the circuit says about it; its outcome is reported with it. */
  enum Permit {
    /** The circuit was closed. */
    CALL,
    /** The circuit was open for long enough: the call finds out whether it may close. */
    PROBE,
    /** The circuit was open, and the call had nowhere else to go. */
    DESPITE
  }

  /**
   * @param project of the key
   */
  KeyCircuit(InstantSource clock, long project) {
    this.clock = clock;
    this.project = project;
    this.window = new OutcomeWindow(clock, SLICE, SLICES);
    this.usedAt = clock.instant();
  }

  /** Permission for a call; null while the circuit is open. */
  synchronized @Nullable Permit tryAcquire() {
    Instant now = clock.instant();
    usedAt = now;
    if (state == State.CLOSED) {
      return Permit.CALL;
    }
    if (state == State.OPEN && !now.isBefore(openUntil)) {
      state = State.HALF_OPEN;
      probedUntil = Instant.EPOCH;
    }
    if (state != State.HALF_OPEN || now.isBefore(probedUntil)) {
      return null;
    }
    probedUntil = now.plus(PROBE);
    return Permit.PROBE;
  }

  /** Reports that the call was answered. */
  synchronized void succeeded(Permit permit) {
    failuresInRow = 0;
    isProven = false;
    record(false);
    boolean isProbe = state == State.HALF_OPEN && permit == Permit.PROBE;
    if (isProbe || (permit == Permit.DESPITE && state != State.FORCED_OPEN)) {
      reset();
    } else {
      openIfHalfFail();
    }
  }

  /**
   * Reports that the call failed because of the target.
   *
   * @param retryAfter the wait that the target asked for; null if it did not
   * @param proves whether it would fail for other keys, too
   */
  synchronized void failed(Permit permit, @Nullable Duration retryAfter, boolean proves) {
    failuresInRow++;
    isProven |= proves;
    record(true);
    if (retryAfter != null && state != State.FORCED_OPEN) {
      boolean tooLong = retryAfter.compareTo(MAX_RETRY_AFTER) > 0;
      Instant until = clock.instant().plus(tooLong ? MAX_RETRY_AFTER : retryAfter);
      if (state != State.OPEN || until.isAfter(openUntil.plus(SAME_REFUSAL))) {
        open(until);
      }
    } else if (state == State.HALF_OPEN ? permit == Permit.PROBE : failsInRow()) {
      // A call that began before the circuit opened is no evidence of the target's present state.
      open(clock.instant().plus(nextOpen));
    } else {
      openIfHalfFail();
    }
  }

  private void record(boolean failed) {
    window.add(failed);
    usedAt = clock.instant();
  }

  private boolean failsInRow() {
    return state == State.CLOSED && failuresInRow >= FAILURES_IN_A_ROW;
  }

  private void openIfHalfFail() {
    if (state == State.CLOSED
        && window.calls() >= MIN_CALLS
        && 2 * window.failures() >= window.calls()) {
      open(clock.instant().plus(nextOpen));
    }
  }

  private void open(Instant until) {
    state = State.OPEN;
    openUntil = until;
    Duration twice = nextOpen.multipliedBy(2);
    nextOpen = twice.compareTo(MAX_OPEN) > 0 ? MAX_OPEN : twice;
    if (openSince == null) {
      openSince = clock.instant();
    }
  }

  /** Opens the circuit if it is closed, until this time at least. */
  synchronized void openUntil(Instant until) {
    if (state == State.CLOSED) {
      Instant usual = clock.instant().plus(nextOpen);
      open(until.isAfter(usual) ? until : usual);
    }
  }

  /** Reports that the call ended without evidence about the target. */
  synchronized void released(Permit permit) {
    if (permit == Permit.PROBE) {
      probedUntil = Instant.EPOCH;
    }
  }

  /** Opens the circuit until {@link #reset}. */
  synchronized void forceOpen() {
    open(Instant.MAX);
    state = State.FORCED_OPEN;
  }

  /** Closes the circuit and forgets failures. */
  synchronized void reset() {
    state = State.CLOSED;
    failuresInRow = 0;
    isProven = false;
    nextOpen = FIRST_OPEN;
    openSince = null;
    window.clear();
  }

  State state() {
    return state;
  }

  long project() {
    return project;
  }

  /**
   * Time until which calls are refused for a reason that holds for other keys, too; null if they
   * are not, or one is let through.
   */
  synchronized @Nullable Instant provenUntil() {
    return isProven && state == State.OPEN && clock.instant().isBefore(openUntil)
        ? openUntil
        : null;
  }

  /** Time at which it opened; null while it is closed. */
  synchronized @Nullable Instant openSince() {
    return openSince;
  }

  /**
   * Time at which the next call is let through as a probe; null if the circuit is not open, or was
   * opened by an operator.
   */
  synchronized @Nullable Instant openUntil() {
    return state == State.OPEN ? openUntil : null;
  }

  /** Failed calls among those that count at present. */
  synchronized int failures() {
    return window.failures();
  }

  /** Whether failures would be forgotten with the circuit. */
  synchronized boolean isClean() {
    return state == State.CLOSED && failuresInRow == 0;
  }

  /** Time since which nobody has needed it. */
  synchronized Instant idleSince() {
    return state == State.OPEN && openUntil.isAfter(usedAt) ? openUntil : usedAt;
  }
}
