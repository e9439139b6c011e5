package io.memorygateway.observation;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * State of a thread's observation besides its records.
 *
 * @param messageTokens the thread's own threshold, or null for the default
 * @param observationTokens the thread's own threshold, or null for the default
 * @param observedSeq {@code messages.seq} up to which all is observed; -1 for nothing
 * @param observingUntil until when an observer is working; once it is past, another may begin
 * @param reflectFrom tokens of observations below which no reflection is tried
 */
public record ObservationState(
    @Nullable Integer messageTokens,
    @Nullable Integer observationTokens,
    long observedSeq,
    @Nullable Instant observingUntil,
    @Nullable Instant reflectingUntil,
    @Nullable Instant bufferingUntil,
    @Nullable Instant bufferingReflectionUntil,
    @Nullable String currentTask,
    @Nullable String suggestedContinuation,
    long reflectFrom) {

  /** State of a thread without configuration and observations. */
  static final ObservationState NONE =
      new ObservationState(null, null, -1, null, null, null, null, null, null, 0);
}
