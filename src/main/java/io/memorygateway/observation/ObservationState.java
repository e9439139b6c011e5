package io.memorygateway.observation;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a thread besides its records.
 *
 * @param messageTokens the thread's own threshold, or null for the default
 * @param observationTokens likewise
 * @param observingUntil how long the observer may take; whoever finds it past may begin anew
 */
public record ObservationState(
    @Nullable Integer messageTokens,
    @Nullable Integer observationTokens,
    long pendingTokens,
    @Nullable Instant observingUntil,
    @Nullable Instant reflectingUntil,
    @Nullable Instant bufferingUntil,
    @Nullable Instant bufferingReflectionUntil) {

  /** Of a thread that nobody set anything for and nothing was observed of. */
  static final ObservationState NONE = new ObservationState(null, null, 0, null, null, null, null);
}
