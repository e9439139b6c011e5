package io.memorygateway.proxy;

import io.memorygateway.dialect.AnswerStream;
import io.memorygateway.dialect.SseSplitter;
import io.memorygateway.http.ErrorType;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.Content;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes a stream on, event by event, byte for byte, each as soon as it is whole. It reads only
 * what it has written before, so memory stays the same however slow the client is. An upstream that
 * dies is announced in the stream.
 */
final class StreamPump implements StreamingOutput {
  private static final Logger LOGGER = LoggerFactory.getLogger(StreamPump.class);

  /** How much of an unfinished event is held back at most. */
  private static final int LARGEST_HELD = 1 << 20;

  private static final byte[] NOTHING = {};
  private static final byte[] BLANK_LINE = {'\n', '\n'};

  private final UpstreamAnswer answer;
  private final AnswerStream stream;
  private final ClientWatch watch;
  private final CallRecord record;
  private final SseSplitter splitter = new SseSplitter(LARGEST_HELD);

  StreamPump(UpstreamAnswer answer, AnswerStream stream, ClientWatch watch, CallRecord record) {
    this.answer = answer;
    this.stream = stream;
    this.watch = watch;
    this.record = record;
  }

  @Override
  public void write(OutputStream client) {
    int status = answer.status();
    try {
      status = pump(client);
    } catch (IOException e) {
      // The client cannot be written to: it has left, or reads nothing.
      answer.cancel();
      status = 499;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      answer.cancel();
    } finally {
      watch.close();
      record.usage(stream.usage());
      record.close(status);
    }
  }

  private int pump(OutputStream client) throws IOException, InterruptedException {
    SseSplitter.Sink sink =
        event -> {
          stream.accept(event);
          client.write(event.array(), event.offset(), event.length());
        };
    try {
      // Jersey sends the head with the first write, be it empty; the client need not wait for an
      // event to see it.
      client.write(NOTHING);
      client.flush();
      boolean last;
      do {
        last = passOn(answer.read(), client, sink);
      } while (!last);
      splitter.finish(sink);
      if (!stream.failed() && !stream.complete()) {
        return announce(ErrorType.UPSTREAM, "The upstream ended the stream too early.", client);
      }
      client.flush();
      return answer.status();
    } catch (UpstreamFailure failure) {
      return switch (failure.kind()) {
        case CANCELLED -> 499;
        case TIMEOUT ->
            announce(ErrorType.UPSTREAM_TIMEOUT, "The upstream sent nothing in time.", client);
        case UNREACHABLE, BROKEN ->
            announce(ErrorType.UPSTREAM, "The upstream broke the stream off.", client);
      };
    }
  }

  private boolean passOn(Content.Chunk chunk, OutputStream client, SseSplitter.Sink sink)
      throws IOException {
    try {
      ByteBuffer buffer = chunk.getByteBuffer();
      int length = buffer.remaining();
      if (buffer.hasArray()) {
        splitter.feed(buffer.array(), buffer.arrayOffset() + buffer.position(), length, sink);
      } else {
        byte[] copy = new byte[length];
        buffer.get(copy);
        splitter.feed(copy, 0, length, sink);
      }
      if (!chunk.isLast()) {
        client.flush();
      }
      return chunk.isLast();
    } finally {
      chunk.release();
    }
  }

  /** Ends a stream that has no end of its own; what was held back of a broken event is dropped. */
  private int announce(ErrorType type, String message, OutputStream client) throws IOException {
    if (stream.ended() || stream.failed()) {
      return answer.status();
    }
    LOGGER.warn("A stream ended without its end: {}", message);
    if (splitter.inEvent()) {
      client.write(BLANK_LINE);
    }
    client.write(stream.errorEvent(type.wireName(), message));
    client.flush();
    return type == ErrorType.UPSTREAM_TIMEOUT ? 504 : 502;
  }
}
