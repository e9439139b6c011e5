package io.memorygateway.observation.text;

import org.jspecify.annotations.Nullable;

/**
 * The result of an observer or a reflector.
 *
 * @param log lines of {@link ObservationLog}; empty if nothing was observed
 * @param currentTask the task being worked on; null if not known
 * @param suggestedContinuation how to go on; null if not known
 */
public record Observation(
    String log,
    @Nullable String currentTask,
    @Nullable String suggestedContinuation,
    @Nullable String threadTitle) {

  /** Without the character NUL: messages and answers of models may have it, texts of others not. */
  public Observation {
    log = storable(log);
    currentTask = currentTask == null ? null : storable(currentTask);
    suggestedContinuation = suggestedContinuation == null ? null : storable(suggestedContinuation);
    threadTitle = threadTitle == null ? null : storable(threadTitle);
  }

  private static String storable(String text) {
    return text.replace('\0', ' ');
  }

  /**
   * This observation followed by a later one: logs are joined, of the other members the latest
   * counts.
   */
  Observation then(Observation later) {
    return new Observation(
        log + ObservationLog.toAppend(log, later.log),
        later.currentTask == null ? currentTask : later.currentTask,
        later.suggestedContinuation == null ? suggestedContinuation : later.suggestedContinuation,
        later.threadTitle == null ? threadTitle : later.threadTitle);
  }
}
