package io.memorygateway.sse;

import java.io.IOException;

/** What makes events of a stream of bytes; for one stream and one thread at a time. */
public interface EventSplitter {

  @FunctionalInterface
  interface Sink {
    /**
     * Receives the next event, or the next piece of a large one.
     *
     * @param event valid during this call only
     */
    void event(SseEvent event) throws IOException;
  }

  /**
   * Takes the next chunk and passes on the events that it completes.
   *
   * @throws IOException only what the sink throws
   */
  void feed(byte[] chunk, int offset, int length, Sink sink) throws IOException;

  /**
   * Ends an input that the upstream closed properly: an event without its blank line, if one is
   * held, is passed on, and the sink decides whether to use it. Not called if the upstream died;
   * what is held is then dropped.
   *
   * @throws IOException only what the sink throws
   */
  void finish(Sink sink) throws IOException;

  /** Whether the beginning of an event has been passed on and its end has not. */
  boolean inEvent();
}
