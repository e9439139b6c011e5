package io.memorygateway.memory;

import io.memorygateway.json.JsonOut;
import org.jspecify.annotations.Nullable;

/**
 * What a write came to.
 *
 * @param status 200 or 201
 * @param body the answer
 * @param threadId {@code threads.id} of the thread that it speaks of, if that still exists
 * @param kept the part of the answer that is kept for a request with the same Idempotency-Key
 * @param seqs messages of the answer: they are read again when it has to be given again, so that no
 *     copy is kept of what may be deleted
 */
record Outcome(
    int status,
    JsonOut body,
    @Nullable Long threadId,
    @Nullable String kept,
    @Nullable SeqRanges seqs) {

  /** An answer that speaks of a thread, but not of its messages. */
  static Outcome of(int status, long threadId, JsonOut body) {
    return new Outcome(status, body, threadId, body.toString(), null);
  }

  /** An answer with nothing in it that could be deleted later. */
  static Outcome ok(JsonOut body) {
    return new Outcome(200, body, null, body.toString(), null);
  }

  /** An answer that is made of messages. */
  static Outcome ofMessages(int status, long threadId, JsonOut body, SeqRanges seqs) {
    return new Outcome(status, body, threadId, null, seqs);
  }

  /** An answer that has messages besides its body. */
  static Outcome besideMessages(int status, long threadId, JsonOut body, SeqRanges seqs) {
    return new Outcome(status, body, threadId, body.toString(), seqs);
  }
}
