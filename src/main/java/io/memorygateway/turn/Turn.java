package io.memorygateway.turn;

import io.memorygateway.http.ApiException;
import io.memorygateway.sse.SseEvent;
import org.jspecify.annotations.Nullable;

/**
 * Memory's part in one proxied call (contract §7): it gives the body that goes upstream, is told
 * what was answered, and makes both durable. Ended by {@link #answered}, by {@link Streamed}, or,
 * if nothing was answered, by nothing: then nothing is stored. To be closed before its caller is
 * told of a failure. For one thread at a time.
 */
public interface Turn extends AutoCloseable {
  /** The answer to give, if the call has been answered before; null if it is to be made. */
  default @Nullable Replay replay() {
    return null;
  }

  /** Ends the turn: from now on the call may be made again. To do so again changes nothing. */
  @Override
  default void close() {}

  /**
   * The body that goes upstream: the call as it came, or with the thread's context and what is new
   * of the call.
   *
   * @return UTF-8 JSON
   */
  byte[] upstreamBody();

  /**
   * What memory adds to the body, the value of {@link MemoryStatus#CONTEXT_HEADER}; null if it adds
   * nothing by design: the call has no memory, or the upstream holds the history.
   */
  default @Nullable String context() {
    return null;
  }

  /** The status of the call now, and of a stream if all goes well. */
  MemoryStatus status();

  /**
   * Stores the turn. When this returns, the end of the answer may be shown.
   *
   * @param answer a whole, successful answer
   * @return what became of it
   * @throws ApiException 503 if it cannot be stored and calls are not to be answered without
   */
  MemoryStatus answered(byte[] answer);

  /** Begins to watch a streamed answer. */
  Streamed streamed();

  /** A streamed answer on its way. */
  interface Streamed {
    /** Takes the next event, whole or in pieces. */
    void accept(SseEvent event);

    /** Whether the answer has become too long to be stored: then nothing of the turn is. */
    boolean tooLong();

    /**
     * Stores the turn of an answer that is whole. When this returns, its final event may be shown.
     *
     * @throws ApiException as {@link Turn#answered}
     */
    MemoryStatus complete();

    /**
     * Stores what there is of an answer whose end nobody saw, and marks it incomplete unless it is
     * whole all the same. Does not fail: there is nobody left to tell but the operator.
     *
     * @param failed whether the upstream itself reported an error: then, if nothing was said,
     *     nothing is stored
     * @param whole whether the upstream said all that it had to say
     */
    void brokenOff(boolean failed, boolean whole);
  }
}
