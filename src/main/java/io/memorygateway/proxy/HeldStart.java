package io.memorygateway.proxy;

import io.memorygateway.dialect.Dialect;
import io.memorygateway.dialect.StartEvent;
import io.memorygateway.http.BodyReservation;
import io.memorygateway.proxy.UpstreamFailure.Kind;
import io.memorygateway.sse.SseEvent;
import io.memorygateway.sse.SseSplitter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Content;
import org.jspecify.annotations.Nullable;

/**
 * Holds the start of a stream back until it says something (contract §10): as long as nothing of it
 * is sent on, another target can still answer the call. What was held is sent on unchanged. For one
 * stream and one thread.
 */
final class HeldStart {
  private static final int MOST_EVENTS = 64;
  private static final int MOST_BYTES = 256 << 10;

  private final UpstreamAnswer answer;
  private final Dialect dialect;
  private final BodyReservation reservation;
  private final ByteArrayOutputStream held = new ByteArrayOutputStream();
  private final SseSplitter splitter = new SseSplitter(MOST_BYTES);
  private int events;
  private @Nullable StartEvent decided;
  private byte @Nullable [] error;

  HeldStart(UpstreamAnswer answer, Dialect dialect, BodyReservation reservation) {
    this.answer = answer;
    this.dialect = dialect;
    this.reservation = reservation;
  }

  /**
   * Reads until the stream says something, or too much is held.
   *
   * @param deadline of {@link System#nanoTime}, by which it has to say something
   * @return whether it is to be sent on; else it is given up, and see {@link #error}
   * @throws UpstreamFailure if the upstream breaks off, or says nothing in time
   */
  boolean await(long deadline) throws UpstreamFailure, InterruptedException {
    boolean last = false;
    while (decided == null && !last) {
      if (held.size() >= MOST_BYTES || events >= MOST_EVENTS) {
        // A stream of comments alone has not begun to answer.
        decided = events == 0 ? StartEvent.END : StartEvent.CONTENT;
      } else {
        last = take(answer.readHeld(left(deadline)));
      }
    }
    if (decided == null) {
      finish();
    }
    if (decided != StartEvent.CONTENT) {
      answer.cancel();
      return false;
    }
    answer.startWith(held.toByteArray(), last);
    // From here on it is the client's to take it.
    reservation.keepAnswer(0);
    return true;
  }

  /** The data of the event that reported an error; null if the stream merely said nothing. */
  byte @Nullable [] error() {
    return error;
  }

  private long left(long deadline) throws UpstreamFailure {
    long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    if (millis <= 0) {
      answer.cancel();
      throw new UpstreamFailure(Kind.TIMEOUT, new TimeoutException("no content in time"));
    }
    return millis;
  }

  private boolean take(Content.Chunk chunk) {
    try {
      ByteBuffer buffer = chunk.getByteBuffer();
      byte[] bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
      if (bytes.length > 0
          && !reservation.tryAddAnswer((long) bytes.length * BodyReservation.UPSTREAM_COST)) {
        // Rather no other target than no answer.
        decided = StartEvent.CONTENT;
      }
      held.writeBytes(bytes);
      splitter.feed(bytes, 0, bytes.length, this::look);
      return chunk.isLast();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // look throws none
    } finally {
      chunk.release();
    }
  }

  private void look(SseEvent event) {
    if (decided != null) {
      return;
    }
    if (!event.startsEvent() || !event.endsEvent()) {
      // More than may be held, or the rest of it.
      decided = event.endsEvent() ? null : StartEvent.CONTENT;
      return;
    }
    decide(event);
  }

  private void decide(SseEvent event) {
    StartEvent kind = dialect.startEvent(event);
    if (kind == StartEvent.ERROR) {
      error = event.data();
    }
    if (kind != StartEvent.COMMENT) {
      events++;
    }
    if (kind != StartEvent.COMMENT && kind != StartEvent.EMPTY) {
      decided = kind;
    }
  }

  /** The upstream has closed the stream; its last event may lack the blank line. */
  private void finish() {
    decided = StartEvent.END;
    try {
      splitter.finish(
          event -> {
            if (event.hasWholeData()) {
              decide(event);
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
