package io.memorygateway.proxy;

import java.nio.ByteBuffer;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Content;
import org.jspecify.annotations.Nullable;

/** An upstream's answer: its head, and its body as it comes. */
final class UpstreamAnswer {
  private final Response head;
  private final UpstreamExchange exchange;
  private final long idleMillis;
  private Content.@Nullable Chunk start;
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

  /**
   * The body of an answer that is no stream.
   *
   * @param timeoutMillis how long to wait for all of it
   */
  byte[] readAll(long timeoutMillis) throws UpstreamFailure, InterruptedException {
    return exchange.readAll(idleMillis, timeoutMillis);
  }

  /**
   * The next part of a stream, to be released after use; the part before it counts as passed on.
   */
  Content.Chunk read() throws UpstreamFailure, InterruptedException {
    share.passedOn(unaccounted);
    Content.Chunk first = start;
    start = null;
    Content.Chunk chunk = first == null ? exchange.read(idleMillis) : first;
    unaccounted = chunk.remaining();
    if (chunk.isLast()) {
      share.close();
    }
    return chunk;
  }

  /** The next part of a stream that is held; it has to come in this time. */
  Content.Chunk readHeld(long timeoutMillis) throws UpstreamFailure, InterruptedException {
    return exchange.read(Math.min(idleMillis, timeoutMillis));
  }

  /**
   * Has {@link #read()} begin with what was held before.
   *
   * @param last whether it is all there is
   */
  void startWith(byte[] bytes, boolean last) {
    start = Content.Chunk.from(ByteBuffer.wrap(bytes), last);
  }

  /** Gives the rest of the answer up. */
  void cancel() {
    share.close();
    exchange.cancel();
  }
}
