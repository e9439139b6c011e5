package io.memorygateway.proxy.route;

import io.memorygateway.proxy.circuit.Circuit;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One attempt's use of a target, from the choice of the target to the attempt's end. For one thread
 * at a time; reports after the end are ignored.
 */
public final class TargetLease implements AutoCloseable {
  private final Target target;
  private final int window;
  private Circuit.@Nullable Permit permit;
  private boolean callersKey;
  private boolean ended;

  /**
   * @param window context window of the target's model in tokens; 0: unknown
   * @param permit of the target's circuit; null for the only target of a call
   */
  TargetLease(Target target, int window, Circuit.@Nullable Permit permit) {
    this.target = target;
    this.window = window;
    this.permit = permit;
    if (permit != null) {
      target.began();
    }
  }

  public Target target() {
    return target;
  }

  public int window() {
    return window;
  }

  /**
   * Records that the attempt sends a caller's own key: what the target refuses or allows to it says
   * nothing about the gateway's key, with which others call.
   */
  public void usesCallersKey() {
    callersKey = true;
  }

  /** Reports the target's first content: it ends a probe, though the answer may take long. */
  public void answering() {
    if (permit != null) {
      permit.answering();
    }
  }

  /** Reports that the attempt was answered. */
  public void succeeded() {
    if (permit != null && !(callersKey && permit.isRefused())) {
      report(Circuit.Permit::succeeded);
    }
    close();
  }

  /**
   * Reports that the attempt failed because of the target.
   *
   * @param retryAfter the wait that the target asked for; null if it did not
   * @param refusedKey whether the target refused the key or its quota
   */
  public void failed(@Nullable Duration retryAfter, boolean refusedKey) {
    if (!(callersKey && refusedKey)) {
      report(ofCall -> ofCall.failed(retryAfter));
    }
    close();
  }

  /**
   * Reports that the time of the call ended before the attempt.
   *
   * @param hadAll whether the attempt had all of it; else it says nothing about the target
   */
  public void late(boolean hadAll) {
    report(hadAll ? Circuit.Permit::late : Circuit.Permit::released);
    close();
  }

  private void report(Consumer<Circuit.Permit> outcome) {
    if (permit != null) {
      Circuit.Permit ofCall = permit;
      permit = null;
      outcome.accept(ofCall);
    }
  }

  /** Ends the lease, without an outcome if none was reported. */
  @Override
  public void close() {
    if (ended) {
      return;
    }
    ended = true;
    report(Circuit.Permit::released);
    if (target.circuit() != null) {
      target.ended();
    }
  }
}
