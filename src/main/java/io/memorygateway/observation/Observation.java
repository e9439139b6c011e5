package io.memorygateway.observation;

import org.jspecify.annotations.Nullable;

/**
 * What an observer notes, or a reflector.
 *
 * @param log lines of {@link ObservationLog}; empty if nothing was said
 * @param currentTask what is being worked on, if it says so
 * @param suggestedContinuation how to go on, if it says so
 */
record Observation(
    String log,
    @Nullable String currentTask,
    @Nullable String suggestedContinuation,
    @Nullable String threadTitle) {

  /** This and what was noted behind it: logs add up, of the rest the latest counts. */
  Observation then(Observation later) {
    return new Observation(
        log + ObservationLog.toAppend(log, later.log),
        later.currentTask == null ? currentTask : later.currentTask,
        later.suggestedContinuation == null ? suggestedContinuation : later.suggestedContinuation,
        later.threadTitle == null ? threadTitle : later.threadTitle);
  }
}
