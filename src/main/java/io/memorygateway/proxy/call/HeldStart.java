package io.memorygateway.proxy.call;

import io.memorygateway.figures.Figures;
import io.memorygateway.format.Format;
import io.memorygateway.format.answer.AnswerStream;
import io.memorygateway.format.answer.StartEvent;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.proxy.upstream.UpstreamAnswer;
import io.memorygateway.proxy.upstream.UpstreamFailure;
import io.memorygateway.proxy.upstream.UpstreamFailure.Kind;
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
 * Holds back the start of a stream until its first content (contract §10): as long as none of it is
 * sent on, another target can still answer the call. What was held is sent on unchanged. For one
 * stream and one thread.
 */
final class HeldStart {
  private static final int MAX_EVENTS = 64;
  private static final int MAX_BYTES = 256 << 10;

  private final UpstreamAnswer answer;
  private final Format format;
  private final RequestReservation reservation;
  private final ByteArrayOutputStream held = new ByteArrayOutputStream();
  private final SseSplitter splitter = new SseSplitter(MAX_BYTES);
  private int events;
  private @Nullable StartEvent decided;
  private byte @Nullable [] error;

  HeldStart(UpstreamAnswer answer, Format format, RequestReservation reservation) {
    this.answer = answer;
    this.format = format;
    this.reservation = reservation;
  }

  /**
   * Reads until the stream has content, or the limit of what is held is reached.
   *
   * @param deadline for the first content, of {@link System#nanoTime}
   * @return whether to send the stream on; else it is cancelled, and {@link #error} has the reason
   * @throws UpstreamFailure if the upstream breaks off, or sends no content in time
   */
  boolean await(long deadline) throws UpstreamFailure, InterruptedException {
    boolean last = false;
    while (decided == null && !last) {
      if (held.size() >= MAX_BYTES || events >= MAX_EVENTS) {
        // A stream of nothing but comments has not begun to answer.
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
    // From here on the bytes are passed to the client and need no reservation.
    reservation.shrinkAnswerTo(0);
    return true;
  }

  /** The data of the event that reported an error; null if the stream had no content. */
  byte @Nullable [] error() {
    return error;
  }

  /** The tokens that the events which were held report, for a stream that is not sent on. */
  Figures usage() {
    AnswerStream stream = format.openStream();
    byte[] bytes = held.toByteArray();
    try {
      SseSplitter again = new SseSplitter(MAX_BYTES);
      again.feed(bytes, 0, bytes.length, stream::accept);
      again.finish(stream::accept);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // accept() throws no IOException
    }
    return stream.usage();
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
          && !reservation.tryAddAnswer((long) bytes.length * RequestReservation.UPSTREAM_COST)) {
        // An event that cannot be held is passed on: an answer matters more than another target.
        decided = StartEvent.CONTENT;
      }
      held.writeBytes(bytes);
      splitter.feed(bytes, 0, bytes.length, this::inspect);
      return chunk.isLast();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // inspect() throws no IOException
    } finally {
      chunk.release();
    }
  }

  private void inspect(SseEvent event) {
    if (decided != null) {
      return;
    }
    if (!event.startsEvent() || !event.endsEvent()) {
      // The event is longer than may be held, or this is the rest of one.
      decided = event.endsEvent() ? null : StartEvent.CONTENT;
      return;
    }
    decide(event);
  }

  private void decide(SseEvent event) {
    StartEvent kind = format.startEvent(event);
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

  /** Ends a stream that the upstream has closed; its last event may lack the blank line. */
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
