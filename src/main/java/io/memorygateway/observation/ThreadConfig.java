package io.memorygateway.observation;

import org.jspecify.annotations.Nullable;

/**
 * A thread's own configuration, set by PATCH; null stands for the default of the project or the
 * server.
 *
 * @param recallScope of {@link RecallScope#NAMES}
 * @param timeZone an id of java.time, such as {@code Europe/Berlin}
 */
public record ThreadConfig(
    @Nullable Integer messageTokens,
    @Nullable Integer observationTokens,
    @Nullable Integer recallTokens,
    @Nullable String recallScope,
    @Nullable Boolean timeMarks,
    @Nullable String timeZone) {

  public static final ThreadConfig NONE = new ThreadConfig(null, null, null, null, null, null);

  /** The configuration of a thread that is no conversation: nothing crosses to others. */
  public static final ThreadConfig ASIDE = new ThreadConfig(null, null, null, "thread", null, null);
}
