package io.memorygateway.proxy;

import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Content;

/** An upstream's answer: its head, and its body as it comes. */
final class UpstreamAnswer {
  private final Response head;
  private final UpstreamExchange exchange;
  private final long idleMillis;

  UpstreamAnswer(Response head, UpstreamExchange exchange, long idleMillis) {
    this.head = head;
    this.exchange = exchange;
    this.idleMillis = idleMillis;
  }

  int status() {
    return head.getStatus();
  }

  HttpFields headers() {
    return head.getHeaders();
  }

  boolean isEventStream() {
    return UpstreamExchange.isEventStream(head);
  }

  /** The body of an answer that is no stream. */
  byte[] readAll() throws UpstreamFailure, InterruptedException {
    return exchange.readAll(idleMillis, Long.MAX_VALUE);
  }

  /** The next part of a stream, to be released after use. */
  Content.Chunk read() throws UpstreamFailure, InterruptedException {
    return exchange.read(idleMillis);
  }

  /** Gives the rest of the answer up. */
  void cancel() {
    exchange.cancel();
  }
}
