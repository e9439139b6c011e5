package io.memorygateway.proxy.call;

import io.memorygateway.format.call.ReasoningRemoval;
import io.memorygateway.proxy.call.AttemptFailure.Reason;
import io.memorygateway.proxy.route.Target;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The thoughts in a call with memory that a target has refused: it is asked to leave out those that
 * are bound to another conversation, and of another model's it gets those alone that the caller
 * sends, for agents drop them where their model is changed. It holds for later calls of the thread
 * to that model.
 */
final class ThreadThoughts {
  private final Refusals refusals;
  private final ProxyCall call;

  /** Null if the call's format has no thoughts that a provider can be asked to leave out. */
  private final @Nullable String thread;

  private final Set<Target> dropsBound = new HashSet<>();
  private final Set<Target> asSent = new HashSet<>();

  ThreadThoughts(ProxyCall call, Refusals refusals) {
    this.call = call;
    this.refusals = refusals;
    this.thread = call.format().bindsThoughts() ? call.memory().threadId() : null;
  }

  /** Asks what a target has refused in calls before. */
  void recall(Target target) {
    if (isNoted(Reason.BOUND_THOUGHT, target)) {
      dropsBound.add(target);
    }
    if (isNoted(Reason.FOREIGN_REASONING, target)) {
      asSent.add(target);
    }
  }

  private boolean isNoted(Reason reason, Target target) {
    return thread != null && refusals.hasRefused(reason, project(), thread, target.name());
  }

  /** Whether a target gets the caller's thoughts alone. */
  boolean areAsSent(Target target) {
    return asSent.contains(target);
  }

  /** Whether a target is asked to leave out thoughts that are bound. */
  boolean areLeftOut(Target target) {
    return dropsBound.contains(target);
  }

  /**
   * Has the target leave out thoughts that are bound to another conversation, from now on.
   *
   * @return false if it cannot, or was to do so already
   */
  boolean dropBound(Target target, byte[] turn) {
    if (thread == null || ReasoningRemoval.ofBound(turn) == turn) {
      return false;
    }
    if (dropsBound.remove(target)) {
      refusals.forget(Reason.BOUND_THOUGHT, project(), thread, target.name());
      return false;
    }
    refusals.note(Reason.BOUND_THOUGHT, project(), thread, target.name());
    return dropsBound.add(target);
  }

  /**
   * Leaves out thoughts that the caller has not sent, from now on.
   *
   * @return false if that was so already
   */
  boolean dropAdded(Target target) {
    if (thread == null || !asSent.add(target)) {
      return false;
    }
    refusals.note(Reason.FOREIGN_REASONING, project(), thread, target.name());
    return true;
  }

  /** A body without thoughts that the caller has not sent, where it sends answers of the model. */
  byte[] withSent(byte[] body) {
    return ReasoningRemoval.ofAdded(body, call.body().bytes());
  }

  private long project() {
    return call.caller().projectId();
  }
}
