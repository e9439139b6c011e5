package io.memorygateway.observation;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a thread besides its records.
 *
 * @param messageTokens the thread's own threshold, or null for the default
 * @param observationTokens likewise
 * @param observedSeq {@code messages.seq} up to which all is observed; -1 for nothing
 * @param observingUntil how long the observer may take; whoever finds it past may begin anew
 */
public record ObservationState(
    @Nullable Integer messageTokens,
    @Nullable Integer observationTokens,
    long observedSeq,
    @Nullable Instant observingUntil,
    @Nullable Instant reflectingUntil,
    @Nullable Instant bufferingUntil,
    @Nullable Instant bufferingReflectionUntil) {

  /** Of a thread that nobody set anything for and nothing was observed of. */
  static final ObservationState NONE = new ObservationState(null, null, -1, null, null, null, null);
}
