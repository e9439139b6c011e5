package io.memorygateway.proxy.call;

import static java.util.Objects.requireNonNull;

import io.memorygateway.figures.Figures;
import io.memorygateway.format.Format;
import io.memorygateway.format.answer.AnswerStream;
import io.memorygateway.format.answer.StartEvent;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.proxy.count.AnswerSample;
import io.memorygateway.proxy.upstream.UpstreamAnswer;
import io.memorygateway.proxy.upstream.UpstreamFailure;
import io.memorygateway.proxy.upstream.UpstreamFailure.Kind;
import io.memorygateway.sse.EventSplitter;
import io.memorygateway.sse.SseEvent;
import io.memorygateway.sse.SseSplitter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;

/**
 * Holds back the start of a stream until its first content (contract §10): as long as none of it is
 * sent on, another target can still answer the call. What was held is sent on unchanged. Comments
 * are not held: they say nothing of an answer, and whoever waits for one sees by them that the
 * target works on it. For one stream and one thread.
 */
final class HeldStart {
  private static final int MAX_EVENTS = 64;
  private static final int MAX_BYTES = 256 << 10;

  private final UpstreamAnswer answer;
  private final EventSplitter splitter;
  private final Format format;
  private final RequestReservation reservation;
  private final long deadline;

  /** What was received and is not sent on. */
  private final List<Piece> held = new ArrayList<>();

  private int received;
  private long reserved;
  private int ofComments;
  private int events;
  private boolean inComment;
  private @Nullable StartEvent decided;
  private byte @Nullable [] error;

  /** An event or a part of one. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Piece(byte[] bytes, boolean comment) {}

  /** Whether its target broke it off. */
  private boolean broken;

  /**
   * @param splitter makes the caller's events of it, those behind the start too
   * @param deadline for the first content, of {@link System#nanoTime}
   */
  HeldStart(
      UpstreamAnswer answer,
      EventSplitter splitter,
      Format format,
      RequestReservation reservation,
      long deadline) {
    this.answer = answer;
    this.splitter = splitter;
    this.format = format;
    this.reservation = reservation;
    this.deadline = deadline;
  }

  /**
   * Reads until the stream has content, or the limit of what is held is reached, or comments came.
   *
   * @return {@code CONTENT} if the stream is to be sent on; {@code COMMENT} if {@link #comments}
   *     are to be, and the start to be awaited again; else it is cancelled, and {@link #error} has
   *     the reason
   * @throws UpstreamFailure if the upstream breaks off, or sends no content in time
   */
  StartEvent await() throws UpstreamFailure, InterruptedException {
    try {
      return read();
    } catch (UpstreamFailure failure) {
      broken = failure.isOfUpstream();
      throw failure;
    }
  }

  private StartEvent read() throws UpstreamFailure, InterruptedException {
    boolean last = false;
    while (decided == null && !last) {
      if (held.stream().anyMatch(Piece::comment)) {
        return StartEvent.COMMENT;
      }
      if (received >= MAX_BYTES || events >= MAX_EVENTS) {
        // A stream of nothing but comments has not begun to answer.
        boolean empty = events == 0 && ofComments > received / 2;
        decided = empty ? StartEvent.END : StartEvent.CONTENT;
      } else {
        last = take(answer.readHeld(left()));
      }
    }
    if (decided == null) {
      decided = StartEvent.END;
      finish();
    }
    StartEvent result = requireNonNull(decided);
    if (result != StartEvent.CONTENT) {
      broken = true;
      answer.cancel();
      return result;
    }
    answer.startWith(bytes(piece -> true), last);
    // From here on the bytes are passed to the client and need no reservation; what translates them
    // keeps its own.
    reservation.releaseAnswer(reserved);
    return result;
  }

  /** The stream, for which this has waited. */
  AttemptResult.Stream stream() {
    return new AttemptResult.Stream(answer, splitter, splitter(reservation));
  }

  /** Splits a stream whose large events are held while there is heap to hold and to read them. */
  static SseSplitter splitter(RequestReservation reservation) {
    return new SseSplitter(
        StreamPump.MAX_HELD_BYTES,
        more -> reservation.tryAddAnswer(more * RequestReservation.UPSTREAM_COST));
  }

  /** The comments that are not sent on yet, to be sent on now: they are held no longer. */
  byte[] comments() {
    byte[] comments = bytes(Piece::comment);
    held.removeIf(Piece::comment);
    return comments;
  }

  private byte[] bytes(Predicate<Piece> which) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    held.stream().filter(which).forEach(piece -> all.writeBytes(piece.bytes()));
    return all.toByteArray();
  }

  /** The data of the event that reported an error; null if the stream had no content. */
  byte @Nullable [] error() {
    return error;
  }

  /** Tells what a stream that is not sent on cost, although nobody sees its answer. */
  void measure(CallMeasurement measurement) {
    AnswerSample sample = measurement.sample();
    AnswerStream stream = format.openStream();
    byte[] bytes = bytes(piece -> true);
    try {
      EventSplitter.Sink both =
          event -> {
            stream.accept(event);
            sample.accept(event);
          };
      SseSplitter again = new SseSplitter(MAX_BYTES);
      again.feed(bytes, 0, bytes.length, both);
      again.finish(
          event -> {
            stream.accept(event);
            // What the stream's end cut is no event, and no piece of a long one.
            if (event.hasWholeData()) {
              sample.accept(event);
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e); // accept() throws no IOException
    }
    measurement.streamEnded(stream.usage(), false, broken, Figures.UNKNOWN);
  }

  private long left() throws UpstreamFailure {
    long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    if (millis <= 0) {
      answer.cancel();
      throw new UpstreamFailure(Kind.TIMEOUT, new TimeoutException("no content in time"));
    }
    return millis;
  }

  private boolean take(Content.Chunk chunk) {
    try {
      byte[] bytes = BufferUtil.toArray(chunk.getByteBuffer());
      long heap = (long) bytes.length * RequestReservation.UPSTREAM_COST;
      if (bytes.length > 0 && reservation.tryAddAnswer(heap)) {
        reserved += heap;
      } else if (bytes.length > 0) {
        // An event that cannot be held is passed on: an answer matters more than another target.
        decided = StartEvent.CONTENT;
      }
      received += bytes.length;
      splitter.feed(bytes, 0, bytes.length, this::inspect);
      return chunk.isLast();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // inspect() throws no IOException
    } finally {
      chunk.release();
    }
  }

  private void inspect(SseEvent event) {
    boolean whole = event.startsEvent() && event.endsEvent();
    StartEvent kind = whole ? format.startEvent(event) : StartEvent.CONTENT;
    event.release();
    // Of a comment, a line feed may follow that belongs to its last carriage return.
    inComment = event.startsEvent() ? kind == StartEvent.COMMENT : inComment;
    hold(event, inComment);
    if (decided == null && whole) {
      decide(event, kind);
    } else if (decided == null) {
      // The event is longer than may be held, or this is the rest of one.
      decided = event.endsEvent() ? null : StartEvent.CONTENT;
    }
  }

  private void hold(SseEvent event, boolean comment) {
    int from = event.offset();
    byte[] bytes = Arrays.copyOfRange(event.array(), from, from + event.length());
    held.add(new Piece(bytes, comment));
    ofComments += comment ? bytes.length : 0;
  }

  private void decide(SseEvent event, StartEvent kind) {
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

  /** Takes what there is of the last event of a stream that the upstream has closed. */
  private void finish() {
    try {
      splitter.finish(
          event -> {
            hold(event, false);
            if (event.endsEvent() || event.hasWholeData()) {
              decide(event, format.startEvent(event));
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
