package io.memorygateway.observation;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One generation of a thread's observations. The highest one is the current one.
 *
 * @param originType initial, observation or reflection
 * @param config a JSON object
 * @param reflection prepared to replace the observations, or null
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
    Instant createdAt,
    Instant updatedAt) {}
