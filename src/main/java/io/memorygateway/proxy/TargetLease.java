package io.memorygateway.proxy;

import io.memorygateway.proxy.circuit.Circuit;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One attempt's use of a target, from the choice of the target to the attempt's end. For one thread
 * at a time; reports after the end are ignored.
 */
final class TargetLease implements AutoCloseable {
  private final Target target;
  private final int window;
  private final @Nullable Circuit circuit;
  private Circuit.@Nullable Permit permit;
  private boolean callersKey;
  private boolean ended;

  private TargetLease(
      Target target, int window, @Nullable Circuit circuit, Circuit.@Nullable Permit permit) {
    this.target = target;
    this.window = window;
    this.circuit = circuit;
    this.permit = permit;
  }

  /** Creates the lease of a target without a circuit. */
  static TargetLease only(Target target) {
    return new TargetLease(target, 0, null, null);
  }

  /**
   * Creates the lease of a target of a route.
   *
   * @param window context window of the target's model in tokens; 0: unknown
   */
  static TargetLease of(Target target, int window, Circuit circuit, Circuit.Permit permit) {
    target.began();
    return new TargetLease(target, window, circuit, permit);
  }

  Target target() {
    return target;
  }

  int window() {
    return window;
  }

  /**
   * Records that the attempt sends a caller's own key: what the target refuses or allows to it says
   * nothing about the gateway's key, with which others call.
   */
  void usesCallersKey() {
    callersKey = true;
  }

  /** Reports the target's first content: it ends a probe, though the answer may take long. */
  void answering() {
    if (circuit != null && permit != null && circuit.state() == Circuit.State.HALF_OPEN) {
      circuit.succeeded(permit);
      permit = circuit.tryAcquire();
    }
  }

  /** Reports that the attempt was answered. */
  void succeeded() {
    if (circuit != null && permit != null && !(callersKey && isOpen(circuit))) {
      circuit.succeeded(permit);
      permit = null;
    }
    close();
  }

  /**
   * Reports that the attempt failed because of the target.
   *
   * @param retryAfter the wait that the target asked for; null if it did not
   * @param refusedKey whether the target refused the key or its quota
   */
  void failed(@Nullable Duration retryAfter, boolean refusedKey) {
    if (circuit != null && permit != null && !(callersKey && refusedKey)) {
      circuit.failed(permit, retryAfter);
      permit = null;
    }
    close();
  }

  private static boolean isOpen(Circuit circuit) {
    return circuit.state() == Circuit.State.OPEN || circuit.state() == Circuit.State.FORCED_OPEN;
  }

  /** Ends the lease, without an outcome if none was reported. */
  @Override
  public void close() {
    if (ended) {
      return;
    }
    ended = true;
    if (circuit != null) {
      if (permit != null) {
        circuit.released(permit);
      }
      target.ended();
    }
  }
}
