package io.memorygateway.proxy;

import io.memorygateway.proxy.UpstreamFailure.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;

/** An upstream's answer: its head, and its body as it comes. */
final class UpstreamAnswer {
  /** More than any answer that is no stream; an upstream that sends more has lost its way. */
  private static final int LARGEST_WHOLE = 64 << 20;

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
    String type = head.getHeaders().get(HttpHeader.CONTENT_TYPE);
    return status() == 200
        && type != null
        && type.regionMatches(true, 0, "text/event-stream", 0, 17);
  }

  /** Reads the body to its end. */
  byte[] readAll() throws UpstreamFailure, InterruptedException {
    long length = head.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH);
    ByteArrayOutputStream all =
        new ByteArrayOutputStream((int) Math.min(Math.max(length, 1024), 1 << 20));
    while (true) {
      Content.Chunk chunk = read();
      try {
        append(chunk.getByteBuffer(), all);
        if (chunk.isLast()) {
          return all.toByteArray();
        }
      } finally {
        chunk.release();
      }
      if (all.size() > LARGEST_WHOLE) {
        cancel();
        throw new UpstreamFailure(Kind.BROKEN, new IOException("the answer is too large"));
      }
    }
  }

  /** The next part of the body, to be released after use. */
  Content.Chunk read() throws UpstreamFailure, InterruptedException {
    return exchange.read(idleMillis);
  }

  /** Gives the rest of the answer up. */
  void cancel() {
    exchange.cancel();
  }

  private static void append(ByteBuffer buffer, ByteArrayOutputStream all) {
    if (buffer.hasArray()) {
      all.write(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
    } else {
      byte[] copy = new byte[buffer.remaining()];
      buffer.get(copy);
      all.writeBytes(copy);
    }
  }
}
