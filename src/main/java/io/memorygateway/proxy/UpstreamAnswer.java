package io.memorygateway.proxy;

import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Content;

/** An upstream's answer: its head, and its body as it comes. */
final class UpstreamAnswer {
  private final Response head;
  private final UpstreamExchange exchange;
  private final long idleMillis;
  private final StreamScheduler.Stream share;
  private int unaccounted;

  /**
   * An answer whose head has arrived.
   *
   * @param share of the processors; waited for where the answer is a stream
   */
  UpstreamAnswer(
      Response head, UpstreamExchange exchange, long idleMillis, StreamScheduler.Stream share) {
    this.head = head;
    this.exchange = exchange;
    this.idleMillis = idleMillis;
    this.share = share;
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

  /**
   * The next part of a stream, to be released after use; the part before it counts as passed on.
   */
  Content.Chunk read() throws UpstreamFailure, InterruptedException {
    share.passedOn(unaccounted);
    Content.Chunk chunk = exchange.read(idleMillis);
    unaccounted = chunk.remaining();
    if (chunk.isLast()) {
      share.close();
    }
    return chunk;
  }

  /** Gives the rest of the answer up. */
  void cancel() {
    share.close();
    exchange.cancel();
  }
}
