package io.memorygateway.observation;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Observations prepared in the background, waiting to be appended to the current record.
 *
 * @param lastSeq {@code messages.seq} of the last message that it covers
 * @param messageIds a JSON array of strings
 */
public record ObservationChunk(
    long lastSeq,
    String publicId,
    String cycleId,
    String observations,
    long tokenCount,
    String messageIds,
    long messageTokens,
    @Nullable String suggestedContinuation,
    @Nullable String currentTask,
    @Nullable String threadTitle,
    Instant lastObservedAt,
    Instant createdAt) {}
