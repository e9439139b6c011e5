package io.memorygateway.turn;

import io.memorygateway.http.errors.ApiException;
import io.memorygateway.sse.SseEvent;
import org.jspecify.annotations.Nullable;

/**
 * Memory's part in one proxied call (contract §7): it builds the body that goes upstream, receives
 * the answer, and stores both. A turn ends with {@link #answered} or with {@link Streamed}; without
 * an answer, nothing is stored. It is closed before its caller is told of a failure. For one thread
 * at a time.
 */
public interface Turn extends AutoCloseable {
  /** The answer to replay, if the call has been answered before; else null. */
  default @Nullable Replay replay() {
    return null;
  }

  /** Notes that the end of the answer has gone to the caller; without a turn stored, no effect. */
  default void handedOn() {}

  /** Ends the turn: from now on the call may be repeated. Closing again has no effect. */
  @Override
  default void close() {}

  /**
   * The body that goes upstream: the call as received, or the thread's context and the new messages
   * of the call.
   *
   * @return UTF-8 JSON
   */
  byte[] upstreamBody();

  /**
   * The size of what memory adds to the body, the value of {@code X-Memory-Context}; null if it
   * adds nothing by design: the call has no memory, or the upstream holds the history.
   */
  default @Nullable String context() {
    return null;
  }

  /** The status of the call so far; for a stream, the status if it ends well. */
  MemoryStatus status();

  /**
   * Stores the turn. When this returns, the end of the answer may be sent.
   *
   * @param answer a whole, successful answer
   * @return the final status
   * @throws ApiException 503 if it cannot be stored and calls are not to be answered without memory
   */
  MemoryStatus answered(byte[] answer);

  /** Begins to collect a streamed answer. */
  Streamed streamed();

  interface Streamed {
    /** Takes the next event, whole or in pieces. */
    void accept(SseEvent event);

    /** Whether the answer has become too long to be stored: then nothing of the turn is stored. */
    boolean tooLong();

    /** Whether nothing would be stored, should the upstream now report an error. */
    boolean isEmpty();

    /**
     * Stores the turn of an answer that is complete. When this returns, its final event may be
     * sent.
     *
     * @return the final status
     * @throws ApiException as {@link Turn#answered}
     */
    MemoryStatus complete();

    /**
     * Stores what was received of an interrupted answer, marked incomplete unless it is complete
     * all the same. Does not fail: there is nobody left to report to but the operator.
     *
     * @param failed whether the upstream itself reported an error: then nothing is stored of an
     *     answer without content
     * @param complete whether the upstream had sent all of the answer
     */
    void interrupted(boolean failed, boolean complete);
  }
}
