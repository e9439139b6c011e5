package io.memorygateway.proxy.call;

import static java.util.Objects.requireNonNull;

import com.google.common.primitives.Bytes;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.answer.AnswerStream;
import io.memorygateway.format.translation.StreamTranslation;
import io.memorygateway.http.admission.RequestPermit;
import io.memorygateway.http.api.ResponseHeader;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorCatalogue;
import io.memorygateway.http.errors.ErrorType;
import io.memorygateway.proxy.count.AnswerSample;
import io.memorygateway.proxy.upstream.UpstreamAnswer;
import io.memorygateway.proxy.upstream.UpstreamCall;
import io.memorygateway.proxy.upstream.UpstreamFailure;
import io.memorygateway.secret.SecretBytes;
import io.memorygateway.secret.SecretFilter;
import io.memorygateway.sse.EventSplitter;
import io.memorygateway.sse.SseEvent;
import io.memorygateway.sse.SseSplitter;
import io.memorygateway.turn.MemoryStatus;
import io.memorygateway.turn.Turn;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes a stream on, event by event, byte for byte, each as soon as it is complete. It reads only
 * after it has written, so its memory is constant however slow the client is. If the upstream
 * breaks off, the stream ends with an error event.
 */
final class StreamPump implements StreamingOutput {
  private static final Logger LOGGER = LoggerFactory.getLogger(StreamPump.class);

  /** Longest unfinished event that is held back, in bytes; a longer one is passed on in pieces. */
  static final int MAX_HELD_BYTES = 1 << 20;

  private static final byte[] NOTHING = {};

  static final byte[] BLANK_LINE = {'\n', '\n'};

  private final UpstreamAnswer answer;
  private final EventSplitter start;
  private final EventSplitter events;
  private final AnswerStream stream;
  private final SecretBytes secret;
  private final Turn opened;
  private final Turn.Streamed turn;
  private final MemoryStatus promised;
  private final UpstreamCall call;
  private final RequestPermit permit;
  private final CallMeasurement measurement;
  private final TracedAnswer traced;
  private final @Nullable StreamBudget budget;
  private final AnswerSample sample;

  /** Whether a comment in the stream has said that the turn is not stored, against the header. */
  private boolean corrected;

  /** Whether an event has been seen with which the upstream reports an error. */
  private boolean failureSeen;

  /** Comment to insert into the final event, whose beginning is written already. */
  private byte[] withinEvent = NOTHING;

  /** Whether an attempt to store the turn was made, or given up. */
  private boolean settled;

  /** Whether the beginning of the final event is written already. */
  private boolean midEvent;

  /** Whether the client has the final event: many clients disconnect then. */
  private boolean endSent;

  /** Whether the target broke the stream off. */
  private boolean broken;

  StreamPump(
      AttemptResult.Stream received,
      AnswerStream stream,
      SecretBytes secret,
      Turn turn,
      UpstreamCall call,
      RequestPermit permit,
      CallMeasurement measurement,
      @Nullable StreamBudget budget) {
    this.answer = received.answer();
    this.start = received.start();
    this.events = received.events();
    this.stream = stream;
    this.secret = secret;
    this.opened = turn;
    this.turn = turn.streamed();
    this.promised = turn.status();
    this.call = call;
    this.permit = permit;
    this.measurement = measurement;
    this.budget = budget;
    this.traced = measurement.tracedStream();
    this.sample = measurement.sample();
  }

  @Override
  public void write(OutputStream client) {
    int status = answer.status();
    try {
      status = pump(client);
    } catch (IOException e) {
      // The client cannot be written to: it has left, or does not read.
      answer.cancel();
      status = statusWhenClientLeaves();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      answer.cancel();
    } finally {
      call.close();
      abort();
      opened.close();
      measurement.streamEnded(
          stream.usage(),
          stream.complete(),
          broken,
          budget == null ? Figures.UNKNOWN : budget.output());
      if (stream.failed()) {
        measurement.errorReported();
      }
      try {
        traced.end();
      } finally {
        measurement.close(status);
      }
    }
  }

  private int pump(OutputStream client) throws IOException, InterruptedException {
    SecretFilter sink =
        new SecretFilter(
            secret,
            event -> {
              hold(event);
              pass(event, client);
            });
    try {
      // So that the client gets the head before the first event.
      client.write(NOTHING);
      client.flush();
      try {
        passOnAll(client, sink);
      } catch (SpentException spent) {
        return endSpent(requireNonNull(budget), client);
      }
      if (!stream.failed() && !stream.complete()) {
        broken = true;
        return announce(ErrorType.UPSTREAM, "The upstream ended the stream too early.", client);
      }
      if (!stream.failed()) {
        midEvent = false;
        settle(client);
      }
      client.flush();
      opened.handedOn();
      return answer.status();
    } catch (UpstreamFailure failure) {
      broken = failure.isOfUpstream();
      return switch (failure.kind()) {
        case CANCELLED -> statusWhenClientLeaves();
        case STOPPED ->
            announce(ErrorType.SERVICE_UNAVAILABLE, AttemptFailure.OF_STOPPED_NODE, client);
        case TIMEOUT ->
            announce(ErrorType.UPSTREAM_TIMEOUT, "The upstream sent nothing in time.", client);
        // Streams need no heap for the whole answer, and have a connection; the cases complete the
        // switch.
        case NO_ROOM, NO_SHARE, NO_CONNECTION, UNREACHABLE, BROKEN ->
            announce(ErrorType.UPSTREAM, "The upstream broke the stream off.", client);
      };
    } catch (ApiException notStored) {
      return endUnstored(notStored.error(), client);
    } catch (RuntimeException defect) {
      LOGGER.error("A turn could not be stored", defect);
      return endUnstored(ErrorCatalogue.forStatus(500), client);
    }
  }

  private void passOnAll(OutputStream client, SecretFilter sink)
      throws IOException, InterruptedException, UpstreamFailure {
    try {
      boolean last = passOn(answer.read(), start, client, sink);
      while (!last) {
        last = passOn(answer.read(), events, client, sink);
      }
    } catch (UpstreamFailure failure) {
      if (events instanceof StreamTranslation translation) {
        translation.breakOff(sink);
      }
      throw failure;
    }
    EventSplitter.Sink end =
        rest -> {
          if (rest.endsEvent()) {
            sink.event(rest);
          } else {
            passOnLast(sink.whole(rest), client);
          }
        };
    start.finish(end);
    events.finish(end);
  }

  /** Has budgets hold an event, or a piece of one, that is about to be passed on. */
  private void hold(SseEvent event) throws SpentException {
    if (budget != null && !budget.allows(event)) {
      throw new SpentException();
    }
  }

  /** Takes an event, or a piece of one, and passes it on. */
  private void pass(SseEvent event, OutputStream client) throws IOException {
    stream.accept(event);
    turn.accept(event);
    traced.accept(event);
    sample.accept(event);
    event.release();
    if (event.startsEvent()) {
      if (turn.tooLong()) {
        // Before the final event, which may be too long to be held back.
        client.write(correction(MemoryStatus.BYPASSED));
      } else {
        correctFailed(client);
      }
    }
    if (stream.ended() && event.endsEvent()) {
      midEvent = !event.startsEvent();
      settle(client);
    }
    write(event, client);
  }

  /** Before the event with which the upstream reports an error, if nothing was said before it. */
  private void correctFailed(OutputStream client) throws IOException {
    if (stream.failed() && !failureSeen) {
      failureSeen = true;
      if (turn.isEmpty()) {
        client.write(correction(MemoryStatus.OFF));
      }
    }
  }

  /** Thrown within a stream that budgets leave no more. */
  private static final class SpentException extends IOException {}

  /** Ends the stream as an answer that came to its limit. */
  private int endSpent(StreamBudget spent, OutputStream client) throws IOException {
    answer.cancel();
    measurement.counted();
    byte[] rest = spent.rest();
    if (rest.length > 0) {
      SseEvent piece = new SseEvent();
      piece.set(rest, 0, rest.length, false, true);
      pass(piece, client);
    }
    byte[] end = spent.end(measurement.toldByTarget(stream.usage()));
    SseSplitter ending = new SseSplitter(end.length + 1);
    ending.feed(end, 0, end.length, event -> pass(event, client));
    client.flush();
    opened.handedOn();
    return answer.status();
  }

  private int statusWhenClientLeaves() {
    return endSent ? answer.status() : 499;
  }

  /**
   * Ends the stream with an error in place of the final event, which would say that the turn is
   * durable.
   */
  private int endUnstored(ApiError error, OutputStream client) throws IOException {
    answer.cancel();
    // A client that reads of the failure may call again immediately.
    opened.close();
    if (midEvent) {
      client.write(BLANK_LINE);
    }
    client.write(stream.errorEvent(error.type().wireName(), error.message()));
    client.flush();
    return error.status();
  }

  /** Stores the turn before the final event is sent; the events before it are flushed first. */
  private void settle(OutputStream client) throws IOException {
    if (settled || stream.failed()) {
      return;
    }
    settled = true;
    client.flush();
    permit.resume();
    MemoryStatus status;
    try {
      status = turn.complete();
    } finally {
      permit.pause();
    }
    byte[] comments = Bytes.concat(correction(status), cost());
    if (midEvent) {
      withinEvent = comments;
    } else {
      client.write(comments);
    }
  }

  private byte[] cost() {
    String cost = measurement.costToTell(stream.usage());
    return cost == null ? NOTHING : comment(ResponseHeader.COST, cost);
  }

  /**
   * A comment, if the header promised {@code stored} but the turn was not stored; else nothing. It
   * is a line of the event before which it stands: with a blank line of its own it would be an
   * event to clients that remember an {@code id} line from the one before.
   */
  private byte[] correction(MemoryStatus status) {
    byte[] comment = corrected ? NOTHING : correction(promised, status);
    corrected |= comment.length > 0;
    return comment;
  }

  /** The same, of a stream whose head has told a status. */
  static byte[] correction(MemoryStatus promised, MemoryStatus status) {
    return promised != MemoryStatus.STORED || status == promised
        ? NOTHING
        : comment(ResponseHeader.MEMORY_STATUS, status.wireName());
  }

  private static byte[] comment(ResponseHeader header, String value) {
    return (": " + header.headerName() + ": " + value + "\n").getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Writes an event or a piece of one; a pending comment is inserted before the line that ends it.
   */
  private void write(SseEvent event, OutputStream client) throws IOException {
    if (withinEvent.length == 0) {
      client.write(event.array(), event.offset(), event.length());
      return;
    }
    int blankLine = lastLineEnd(event);
    int before = event.length() - blankLine;
    client.write(event.array(), event.offset(), before);
    client.write(withinEvent);
    client.write(event.array(), event.offset() + before, blankLine);
    withinEvent = NOTHING;
  }

  private static int lastLineEnd(SseEvent event) {
    int end = event.offset() + event.length();
    boolean crlf =
        event.length() > 1 && event.array()[end - 1] == '\n' && event.array()[end - 2] == '\r';
    return crlf ? 2 : 1;
  }

  /** Reports an incomplete turn. */
  private void abort() {
    if (settled) {
      return;
    }
    settled = true;
    turn.interrupted(stream.failed(), stream.complete());
  }

  private boolean passOn(
      Content.Chunk chunk, EventSplitter splitter, OutputStream client, EventSplitter.Sink sink)
      throws IOException {
    try {
      ByteBuffer buffer = chunk.getByteBuffer();
      int length = buffer.remaining();
      if (buffer.hasArray()) {
        splitter.feed(buffer.array(), buffer.arrayOffset() + buffer.position(), length, sink);
      } else {
        splitter.feed(BufferUtil.toArray(buffer), 0, length, sink);
      }
      if (!chunk.isLast()) {
        client.flush();
        endSent = stream.ended();
        if (endSent && settled) {
          opened.handedOn();
        }
      }
      return chunk.isLast();
    } finally {
      chunk.release();
    }
  }

  /** Passes on an event without its blank line; part of an event is dropped. */
  private void passOnLast(SseEvent rest, OutputStream client) throws IOException {
    SseEvent event = new SseEvent();
    event.set(rest.array(), rest.offset(), rest.offset() + rest.length(), true, true);
    if (budget != null && event.hasWholeData()) {
      hold(event);
    }
    if (stream.acceptLast(event)) {
      turn.accept(event);
      traced.accept(event);
      sample.accept(event);
      event.release();
      midEvent = false;
      correctFailed(client);
      settle(client);
      client.write(event.array(), event.offset(), event.length());
    }
  }

  /**
   * Ends a stream that lacks its final event with an error; the held part of an incomplete event is
   * dropped.
   */
  private int announce(ErrorType type, String message, OutputStream client) throws IOException {
    if (stream.ended() || stream.failed()) {
      return answer.status();
    }
    LOGGER.warn("A stream ended without its end: {}", message);
    abort();
    opened.close();
    if (events.inEvent()) {
      client.write(BLANK_LINE);
    }
    int status =
        switch (type) {
          case UPSTREAM_TIMEOUT -> 504;
          case SERVICE_UNAVAILABLE -> 503;
          default -> 502;
        };
    client.write(
        events instanceof StreamTranslation translation
            ? translation.fail(status, message)
            : stream.errorEvent(type.wireName(), message));
    client.flush();
    return status;
  }
}
