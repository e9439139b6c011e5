package io.memorygateway.proxy.upstream;

import java.nio.ByteBuffer;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Content;
import org.jspecify.annotations.Nullable;

/** An upstream's answer: its head, and its body as it arrives. */
public final class UpstreamAnswer {
  private final Response head;
  private final UpstreamExchange exchange;
  private final long idleMillis;
  private Content.@Nullable Chunk start;
  private final StreamScheduler.Stream share;
  private int unaccounted;

  /**
   * @param share scheduling of a stream; awaited when it passes on parts
   */
  UpstreamAnswer(
      Response head, UpstreamExchange exchange, long idleMillis, StreamScheduler.Stream share) {
    this.head = head;
    this.exchange = exchange;
    this.idleMillis = idleMillis;
    this.share = share;
  }

  public int status() {
    return head.getStatus();
  }

  public HttpFields headers() {
    return head.getHeaders();
  }

  public boolean isStream() {
    return exchange.isStream();
  }

  /**
   * Reads the body of an answer that is not a stream.
   *
   * @param timeoutMillis for the whole body
   */
  public byte[] readAll(long timeoutMillis) throws UpstreamFailure, InterruptedException {
    return exchange.readAll(idleMillis, timeoutMillis);
  }

  /**
   * Reads the next part of a stream, to be released after use; the part before it counts as passed
   * on.
   */
  public Content.Chunk read() throws UpstreamFailure, InterruptedException {
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

  /**
   * Reads the next part of a stream that is held.
   *
   * @param timeoutMillis until it arrives
   */
  public Content.Chunk readHeld(long timeoutMillis) throws UpstreamFailure, InterruptedException {
    return exchange.read(Math.min(idleMillis, timeoutMillis));
  }

  /**
   * Makes {@link #read()} begin with the bytes that were held.
   *
   * @param last whether the stream ends with them
   */
  public void startWith(byte[] bytes, boolean last) {
    start = Content.Chunk.from(ByteBuffer.wrap(bytes), last);
  }

  public void cancel() {
    share.close();
    exchange.cancel();
  }
}
