package io.memorygateway.testing;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An event stream that is as long as the test likes and is sent as fast as the client takes it:
 * {@link #written} stands still when backpressure has reached the upstream. For one request at a
 * time.
 */
public final class FloodAnswer implements Answer {
  private final String event;
  private final long events;
  private final AtomicLong written = new AtomicLong();

  /**
   * @param event a whole event, its blank line included
   * @param events how often it is sent
   */
  public FloodAnswer(String event, long events) {
    this.event = event;
    this.events = events;
  }

  /** Bytes that the kernel has taken so far, chunk framing included. */
  public long written() {
    return written.get();
  }

  @Override
  public void write(Exchange exchange) throws IOException {
    exchange.send(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (long i = 0; i < events; i++) {
      exchange.chunk(event);
      written.set(exchange.written());
    }
    exchange.lastChunk();
  }
}
