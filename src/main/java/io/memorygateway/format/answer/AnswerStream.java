package io.memorygateway.format.answer;

import io.memorygateway.figures.Figures;
import io.memorygateway.sse.SseEvent;
import io.memorygateway.sse.SseSplitter;

/**
 * Watches one streamed answer go by, to know how it ended and what it cost. Used by one thread at a
 * time. How a stream is to be closed when the upstream has no more to say:
 *
 * <ul>
 *   <li>{@link #failed()} or {@link #ended()}: nothing is to be added;
 *   <li>the upstream closed properly and {@link #complete()}: nothing is to be added;
 *   <li>else the upstream died: {@link #errorEvent} goes out last (contract §6).
 * </ul>
 */
public interface AnswerStream {
  /**
   * Takes the next event, whole or in pieces. Never fails: events that cannot be read are skipped.
   */
  void accept(SseEvent event);

  /**
   * Takes the rest of the input when the upstream closes properly: an event without its blank line.
   *
   * @return whether to pass it on: it is a whole event, not a piece of one, and the answer is then
   *     complete. Else a client would read it and the error event that follows as one.
   */
  default boolean acceptLast(SseEvent event) {
    if (!event.hasWholeData()) {
      return false;
    }
    accept(event);
    return complete() || failed();
  }

  /** Whether the final event has been seen. */
  boolean ended();

  /**
   * Whether a proper close of the upstream would make this a whole answer: {@link #ended()}, or, in
   * Chat Completions, a finish reason without the {@code [DONE]} that some servers leave out.
   */
  default boolean complete() {
    return ended();
  }

  /**
   * Whether the upstream itself reported an error in the stream: then the turn is not completed.
   */
  boolean failed();

  /** The tokens reported so far; {@link Figures#NONE} before that. */
  Figures usage();

  /**
   * The event, with its blank line, that ends a stream whose upstream died half-way. If {@link
   * SseSplitter#inEvent()}, a blank line has to go out before it.
   *
   * @param type an error type of contract §3, such as {@code upstream_error}
   */
  byte[] errorEvent(String type, String message);
}
