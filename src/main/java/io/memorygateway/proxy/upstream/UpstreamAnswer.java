package io.memorygateway.proxy.upstream;

import io.memorygateway.http.arrival.GunzipInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.BufferUtil;
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

  /**
   * The body of an answer that is passed on, unpacked, as it arrives. A failure of the upstream, or
   * an interruption, is the cause of what it throws.
   */
  public InputStream passed() {
    InputStream parts = new Parts();
    return exchange.isPacked() ? new GunzipInputStream(parts) : parts;
  }

  private final class Parts extends InputStream {
    private ByteBuffer part = BufferUtil.EMPTY_BUFFER;
    private boolean last;

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
      while (!part.hasRemaining()) {
        if (last) {
          return -1;
        }
        next();
      }
      int count = Math.min(length, part.remaining());
      part.get(to, offset, count);
      return count;
    }

    private void next() throws IOException {
      try {
        Content.Chunk chunk = UpstreamAnswer.this.read();
        last = chunk.isLast();
        part = ByteBuffer.wrap(BufferUtil.toArray(chunk.getByteBuffer()));
        chunk.release();
      } catch (UpstreamFailure | InterruptedException e) {
        throw new IOException(e);
      }
    }
  }

  public void cancel() {
    share.close();
    exchange.cancel();
  }
}
