package io.memorygateway.observation;

import io.memorygateway.json.JsonWriter;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes records as the API shows them.
 *
 * @param threadId null for a resource
 * @param now leases that end later are held
 */
record RecordJson(@Nullable String threadId, String resourceId, Instant now) {
  /** Writes a record that is not the current one of a thread. */
  void write(JsonWriter out, ObservationRecord record) {
    write(out, record, ObservationState.NONE, 0, List.of());
  }

  /**
   * Writes a record.
   *
   * @param state of the thread for its current record; {@link ObservationState#NONE} for others
   * @param pendingTokens of messages that are not observed; 0 for records that are not current
   * @param chunks of the thread for its current record
   */
  void write(
      JsonWriter out,
      ObservationRecord record,
      ObservationState state,
      long pendingTokens,
      List<ObservationChunk> chunks) {
    out.ascii("{\"id\":").string(record.publicId());
    out.ascii(",\"scope\":").string(threadId == null ? "resource" : "thread");
    out.ascii(",\"threadId\":").string(threadId);
    out.ascii(",\"resourceId\":").string(resourceId);
    out.ascii(",\"createdAt\":").time(record.createdAt());
    out.ascii(",\"updatedAt\":").time(record.updatedAt());
    out.ascii(",\"lastObservedAt\":").time(record.lastObservedAt());
    out.ascii(",\"originType\":").string(record.originType());
    out.ascii(",\"generationCount\":").number(record.generation());
    out.ascii(",\"activeObservations\":").string(record.observations());
    out.ascii(",\"totalTokensObserved\":").number(record.totalTokensObserved());
    out.ascii(",\"observationTokenCount\":").number(record.observationTokens());
    out.ascii(",\"pendingMessageTokens\":").number(pendingTokens);
    out.ascii(",\"isObserving\":").bool(isHeld(state.observingUntil()));
    out.ascii(",\"isReflecting\":").bool(isHeld(state.reflectingUntil()));
    out.ascii(",\"isBufferingObservation\":").bool(isHeld(state.bufferingUntil()));
    out.ascii(",\"isBufferingReflection\":").bool(isHeld(state.bufferingReflectionUntil()));
    out.ascii(",\"config\":").raw(record.config());
    out.ascii(",\"bufferedObservationChunks\":[");
    for (ObservationChunk chunk : chunks) {
      write(out.element(), chunk);
    }
    out.ascii("],\"bufferedReflection\":").string(record.reflection());
    out.ascii(",\"bufferedReflectionTokens\":").numberOrNull(record.reflectionTokens());
    out.ascii(",\"bufferedReflectionInputTokens\":").numberOrNull(record.reflectionInputTokens());
    out.ascii("}");
  }

  private static void write(JsonWriter out, ObservationChunk chunk) {
    out.ascii("{\"id\":").string(chunk.publicId());
    out.ascii(",\"cycleId\":").string(chunk.cycleId());
    out.ascii(",\"observations\":").string(chunk.observations());
    out.ascii(",\"tokenCount\":").number(chunk.tokenCount());
    out.ascii(",\"messageIds\":").raw(chunk.messageIds());
    out.ascii(",\"messageTokens\":").number(chunk.messageTokens());
    out.ascii(",\"lastObservedAt\":").time(chunk.lastObservedAt());
    out.ascii(",\"createdAt\":").time(chunk.createdAt());
    optional(out, ",\"suggestedContinuation\":", chunk.suggestedContinuation());
    optional(out, ",\"currentTask\":", chunk.currentTask());
    optional(out, ",\"threadTitle\":", chunk.threadTitle());
    out.ascii("}");
  }

  private static void optional(JsonWriter out, String name, @Nullable String value) {
    if (value != null) {
      out.ascii(name).string(value);
    }
  }

  private boolean isHeld(@Nullable Instant until) {
    return until != null && until.isAfter(now);
  }
}
