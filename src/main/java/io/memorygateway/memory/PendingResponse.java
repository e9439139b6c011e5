package io.memorygateway.memory;

import org.jspecify.annotations.Nullable;

/**
 * An answer that is kept in the transaction that stores its messages, for a request that repeats
 * the Idempotency-Key.
 *
 * @param body the part of the answer that is not made of messages; null if there is none
 * @param asked how many of the messages that are stored with it, the first ones, are not of the
 *     answer
 */
public record PendingResponse(IdempotencyClaim claim, int status, @Nullable String body, int asked) {

  /** The answer to an append: all that was stored. */
  static @Nullable PendingResponse ofAppend(@Nullable IdempotencyClaim claim) {
    return claim == null ? null : new PendingResponse(claim, Appends.CREATED, null, 0);
  }

  IdempotencyDao.Remembered of(Messages.Appended appended) {
    return new IdempotencyDao.Remembered(
        status, appended.thread().id(), body, appended.answered(asked));
  }
}
