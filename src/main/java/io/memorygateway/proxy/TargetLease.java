package io.memorygateway.proxy;

import io.memorygateway.proxy.circuit.Circuit;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The place of one attempt at its target, from the choice of the target to the attempt's end. For
 * one thread at a time; what is reported after the end is ignored.
 */
final class TargetLease implements AutoCloseable {
  private final Target target;
  private final int window;
  private final @Nullable Circuit circuit;
  private Circuit.@Nullable Permit permit;
  private boolean ended;

  private TargetLease(
      Target target, int window, @Nullable Circuit circuit, Circuit.@Nullable Permit permit) {
    this.target = target;
    this.window = window;
    this.circuit = circuit;
    this.permit = permit;
  }

  /** The place at a target that has no circuit. */
  static TargetLease only(Target target) {
    return new TargetLease(target, 0, null, null);
  }

  /**
   * A place at a target of a route.
   *
   * @param window tokens that the target's model reads at most; 0: unknown
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

  /** The target has said something: that ends a probe, though the answer may take long. */
  void answering() {
    if (circuit != null && permit != null && circuit.state() == Circuit.State.HALF_OPEN) {
      circuit.succeeded(permit);
      permit = circuit.tryAcquire();
    }
  }

  /** The attempt was answered. */
  void succeeded() {
    if (circuit != null && permit != null) {
      circuit.succeeded(permit);
    }
    permit = null;
    close();
  }

  /**
   * The attempt failed, and the target is the cause.
   *
   * @param retryAfter when the target wants to be asked again, if it said so
   */
  void failed(@Nullable Duration retryAfter) {
    if (circuit != null && permit != null) {
      circuit.failed(permit, retryAfter);
    }
    permit = null;
    close();
  }

  /** Ends it without an outcome, if it has none. */
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
