package io.memorygateway.memory.replay;

import io.memorygateway.memory.rows.Appended;
import org.jspecify.annotations.Nullable;

/**
 * A response to store in the same transaction as its messages, whose seqs are not known before.
 *
 * @param body the part of the response that is not made of messages; null if there is none
 * @param skipped how many of the first stored messages are not part of the response
 */
public record PendingResponse(
    IdempotencyClaim claim, int status, @Nullable String body, int skipped) {

  /** Status of the response to an append. */
  public static final int CREATED = 201;

  /** Response to an append: all messages that were stored. */
  public static @Nullable PendingResponse ofAppend(@Nullable IdempotencyClaim claim) {
    return claim == null ? null : new PendingResponse(claim, CREATED, null, 0);
  }

  /** Returns the response with more messages stored before those that are part of it. */
  public PendingResponse skipping(int more) {
    return new PendingResponse(claim, status, body, skipped + more);
  }

  public StoredResponse.Content content(Appended appended) {
    return new StoredResponse.Content(
        status, appended.thread().id(), body, appended.snapshot(skipped));
  }
}
