package io.memorygateway.turn;

import io.memorygateway.auth.Caller;
import io.memorygateway.memory.rows.LastCall;
import io.memorygateway.memory.write.TurnCall;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a call when it is planned: what its headers say, and its thread as it was read.
 *
 * @param threadId as clients name the thread
 * @param thread null if it does not exist
 * @param tail of the thread, or of a new one
 * @param receivedAt when the call was received
 */
record CallFacts(
    Caller caller,
    String threadId,
    MemoryRequest request,
    CallIdentity identity,
    ThreadTails.@Nullable Loaded thread,
    ThreadTail tail,
    Instant receivedAt) {

  /** The call whose answer the thread ends with; null if it ends with something else. */
  @Nullable LastCall last() {
    return thread == null ? null : thread.head().lastCall();
  }

  /** Whether that was the same call. */
  boolean isAgain() {
    LastCall last = last();
    return last != null && identity.is(last);
  }

  /**
   * Whether the call may get the answer that the thread ends with. One with an Idempotency-Key gets
   * what is stored for the key.
   */
  boolean mayBeReplayed() {
    return isAgain() && identity.key() == null && request.stored();
  }

  /** Version of the thread; 0 if it does not exist. */
  long version() {
    return thread == null ? 0 : thread.head().version();
  }

  /** Seq of the last message that is observed; -1 for none. */
  long observedSeq() {
    return thread == null ? -1 : thread.observedSeq();
  }

  /**
   * The call as it is stored with its turn.
   *
   * @param asked how many messages stand before its answer
   */
  TurnCall turnCall(int asked) {
    boolean keyed = identity.key() != null;
    LastCall last = last();
    return new TurnCall(
        identity.hash(), request.again() && !keyed, keyed, last == null ? 0 : last.end(), asked);
  }
}
