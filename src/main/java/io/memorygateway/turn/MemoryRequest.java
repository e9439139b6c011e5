package io.memorygateway.turn;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a call that memory depends on.
 *
 * @param threadId header {@code x-thread-id}, or the thread that stands for it, if any
 * @param resourceId header {@code x-resource-id}, if any
 * @param idempotencyKey header {@code Idempotency-Key}, if any
 * @param again whether the caller says that it sends the call again
 * @param target path and query of the call
 * @param admission how long the request waited for its key and its rate limits
 * @param stored whether what is said becomes part of the thread
 * @param question the words that ask for a summary, empty for an item that does: what stands before
 *     them becomes part of the thread all the same; null if the call is for anything else
 * @param aside whether it is beside a conversation
 * @param acrossThreads whether other threads of the resource may be quoted
 */
public record MemoryRequest(
    @Nullable String threadId,
    @Nullable String resourceId,
    @Nullable String idempotencyKey,
    boolean again,
    String target,
    Duration admission,
    boolean stored,
    @Nullable String question,
    boolean aside,
    boolean acrossThreads) {

  /** The resource whose other threads may be quoted; null for none. */
  @Nullable String quotedResource() {
    return acrossThreads ? resourceId : null;
  }

  /** The same request of a call of a conversation, decided. */
  MemoryRequest of(String thread) {
    return new MemoryRequest(
        thread,
        resourceId,
        idempotencyKey,
        again,
        target,
        admission,
        true,
        null,
        false,
        acrossThreads);
  }

  /** The same request of a call beside a conversation, which needs no more than its thread. */
  MemoryRequest aside(@Nullable String thread, boolean kept, @Nullable String asksFor) {
    return new MemoryRequest(
        thread, resourceId, idempotencyKey, again, target, admission, kept, asksFor, true, false);
  }
}
