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
 * @param messages of the answer: they are read again when it has to be given again
 */
public record Outcome(
    int status,
    JsonOut body,
    @Nullable Long threadId,
    @Nullable String kept,
    @Nullable MessageSnapshot messages) {

  /** An answer that speaks of a thread, but not of its messages. */
  public static Outcome of(int status, long threadId, JsonOut body) {
    return new Outcome(status, body, threadId, body.toString(), null);
  }

  /** An answer with nothing in it that could be deleted later. */
  public static Outcome ok(JsonOut body) {
    return new Outcome(200, body, null, body.toString(), null);
  }

  /** An answer that is made of messages. */
  public static Outcome ofMessages(int status, JsonOut body, Messages.Appended appended) {
    return new Outcome(status, body, appended.thread().id(), null, appended.answered());
  }

  /** An answer that has messages besides its body. */
  public static Outcome besideMessages(
      int status, long threadId, JsonOut body, MessageSnapshot messages) {
    return new Outcome(status, body, threadId, body.toString(), messages);
  }

  /** The same, with its messages to be shown as they are now: it is given for the first time. */
  Outcome asItIs() {
    return messages == null
        ? this
        : new Outcome(status, body, threadId, kept, new MessageSnapshot(messages.seqs(), null));
  }
}
