package io.memorygateway.observation;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One generation of a thread's observations. The highest one is the current one.
 *
 * @param originType initial, observation or reflection
 * @param config a JSON object
 * @param reflection prepared to replace the observations, or null
 * @param reflectionInputLength UTF-16 units of the beginning of the observations that it replaces
 */
public record ObservationRecord(
    int generation,
    String publicId,
    String originType,
    String observations,
    long observationTokens,
    long totalTokensObserved,
    @Nullable Instant lastObservedAt,
    String config,
    @Nullable String reflection,
    @Nullable Long reflectionTokens,
    @Nullable Long reflectionInputTokens,
    @Nullable Integer reflectionInputLength,
    @Nullable Boolean reflectionByModel,
    Instant createdAt,
    Instant updatedAt) {

  /** A new record, without a prepared reflection. */
  static ObservationRecord of(
      int generation,
      String publicId,
      String originType,
      String observations,
      long observationTokens,
      long totalTokensObserved,
      @Nullable Instant lastObservedAt,
      String config,
      Instant now) {
    return new ObservationRecord(
        generation,
        publicId,
        originType,
        observations,
        observationTokens,
        totalTokensObserved,
        lastObservedAt,
        config,
        null,
        null,
        null,
        null,
        null,
        now,
        now);
  }
}
