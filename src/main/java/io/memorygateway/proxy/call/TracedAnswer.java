package io.memorygateway.proxy.call;

import io.memorygateway.format.Format;
import io.memorygateway.format.answer.AnswerAssembler;
import io.memorygateway.format.answer.AnswerSummary;
import io.memorygateway.format.answer.AnswerSummaryReader;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.sse.SseEvent;
import io.memorygateway.tracing.CallSpan;
import org.jspecify.annotations.Nullable;

/**
 * Recorder of an answer in the span of its call. A streamed one is read as it passes by; if the
 * span records nothing, nothing is read. For one thread.
 */
public final class TracedAnswer {
  /**
   * Most bytes of a stream that are held: one format sends its text twice, and JSON is longer than
   * text.
   */
  private static final int MAX_HELD_BYTES = 4 * CallSpan.MAX_CONTENT_BYTES;

  /** Bytes of heap for each byte of an assembled answer. */
  private static final int ASSEMBLED_COST = 4;

  private final CallSpan span;
  private final @Nullable AnswerSummaryReader summary;
  private final @Nullable AnswerAssembler output;

  private TracedAnswer(
      CallSpan span, @Nullable AnswerSummaryReader summary, @Nullable AnswerAssembler output) {
    this.span = span;
    this.summary = summary;
    this.output = output;
  }

  /**
   * Creates the recorder of a streamed answer.
   *
   * @param reservation of the heap for it, if contents are captured
   */
  static TracedAnswer ofStream(CallSpan span, Format format, RequestReservation reservation) {
    return new TracedAnswer(
        span,
        span.isRecording() ? new AnswerSummaryReader() : null,
        span.capturesContents()
            ? format.openAssembler(
                MAX_HELD_BYTES, bytes -> reservation.tryAddAnswer(bytes * ASSEMBLED_COST), false)
            : null);
  }

  public static void complete(CallSpan span, byte[] body) {
    if (span.isRecording()) {
      span.output(body);
      AnswerSummaryReader reader = new AnswerSummaryReader();
      reader.read(body);
      record(span, reader.summary());
    }
  }

  /** Reads the next event, complete or in pieces. */
  void accept(SseEvent event) {
    if (summary != null) {
      summary.accept(event);
    }
    if (output != null) {
      output.accept(event);
    }
  }

  /** Records what was read of the stream. */
  void end() {
    if (summary != null) {
      record(span, summary.summary());
    }
    if (output != null) {
      span.output(messages(output));
    }
  }

  private static void record(CallSpan span, AnswerSummary summary) {
    span.answer(summary.id(), summary.model(), summary.finishReasons());
  }

  /** The messages as JSON, up to the limit of a span. */
  private static String messages(AnswerAssembler output) {
    StringBuilder json = new StringBuilder("[");
    for (StoredMessage message : output.messages()) {
      if (json.length() > CallSpan.MAX_CONTENT_BYTES) {
        break;
      }
      json.append(json.length() == 1 ? "" : ",").append(message(message));
    }
    return json.append(']').toString();
  }

  private static String message(StoredMessage message) {
    String role = "{\"role\":" + JsonWriter.quote(message.role());
    JsonValue content = JsonValue.of(message.content());
    if (!content.isObject()) {
      return role + ",\"content\":" + message.content() + "}";
    }
    // A message object with members besides its content, or an item, may have a role itself.
    return content.get("role") == null
        ? role + "," + message.content().substring(1)
        : message.content();
  }
}
