package io.memorygateway.tracing;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.price.PicoDollars;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Span of a call of a model. Does nothing where tracing is off. Used by one thread after another.
 */
public final class CallSpan {
  /** The span where tracing is off. */
  public static final CallSpan NONE = new CallSpan(null, false);

  /** Longest captured content: collectors refuse spans of many megabytes. */
  public static final int MAX_CONTENT_BYTES = 64 << 10;

  private final @Nullable Span span;
  private final boolean captureContents;

  CallSpan(@Nullable Span span, boolean captureContents) {
    this.span = span;
    this.captureContents = captureContents;
  }

  /**
   * End of a call.
   *
   * @param status of the answer; negative: there is none
   * @param errorType null if it was answered
   */
  public record End(int status, @Nullable String errorType, boolean stream, Figures figures) {

    /** The end of a successful call of which only the tokens are known. */
    public static End answered(long inputTokens, long outputTokens) {
      Figures tokens =
          Figures.NONE
              .with(Figure.INPUT_TOKENS, inputTokens)
              .with(Figure.OUTPUT_TOKENS, outputTokens);
      return new End(200, null, false, tokens);
    }

    /** The end of a call without an answer. */
    public static End failed(String errorType) {
      return new End(-1, errorType, false, Figures.NONE);
    }
  }

  /** Passes on the trace headers, by which the upstream's own spans become children of this one. */
  public void headers(BiConsumer<String, String> headers) {
    if (span != null) {
      W3CTraceContextPropagator.getInstance()
          .inject(
              Context.root().with(span),
              headers,
              (carrier, name, value) -> {
                if (carrier != null) {
                  carrier.accept(name, value);
                }
              });
    }
  }

  /** Records the request body, if contents are captured. */
  public void input(byte[] body) {
    content(GenAiAttributes.INPUT, body);
  }

  /** Records the body of a complete answer, if contents are captured. */
  public void output(byte[] body) {
    content(GenAiAttributes.OUTPUT, body);
  }

  /** Records an assembled answer of a stream, if contents are captured. */
  public void output(String json) {
    output(json.getBytes(StandardCharsets.UTF_8));
  }

  private void content(AttributeKey<String> name, byte[] body) {
    if (span != null && capturesContents()) {
      int length = Math.min(body.length, MAX_CONTENT_BYTES);
      span.setAttribute(name, new String(body, 0, length, StandardCharsets.UTF_8));
    }
  }

  /** Whether anything is recorded; if not, values need not be computed. */
  public boolean isRecording() {
    return span != null && span.isRecording();
  }

  /** Whether {@link #input} and {@link #output} record anything. */
  public boolean capturesContents() {
    return captureContents && isRecording();
  }

  public void answer(@Nullable String id, @Nullable String model, List<String> finishReasons) {
    if (span == null) {
      return;
    }
    if (id != null) {
      span.setAttribute(GenAiAttributes.RESPONSE_ID, id);
    }
    if (model != null) {
      span.setAttribute(GenAiAttributes.RESPONSE_MODEL, model);
    }
    if (!finishReasons.isEmpty()) {
      span.setAttribute(GenAiAttributes.FINISH_REASONS, finishReasons);
    }
  }

  public void end(End end) {
    end(end, null);
  }

  /** Ends the span at an earlier time; null: now. */
  public void end(End end, @Nullable Instant at) {
    if (span == null) {
      return;
    }
    if (end.status >= 0) {
      span.setAttribute(GenAiAttributes.STATUS, (long) end.status);
    }
    for (Figure figure : Figure.LOGGED) {
      Long value = end.figures.stored(figure);
      if (figure.attribute() != null && value != null) {
        if (figure == Figure.COST) {
          span.setAttribute(figure.attribute(), value / PicoDollars.PER_DOLLAR);
        } else {
          span.setAttribute(figure.attribute(), value);
        }
      }
    }
    span.setAttribute(GenAiAttributes.STREAM, end.stream);
    if (end.errorType != null) {
      span.setAttribute(GenAiAttributes.ERROR, end.errorType).setStatus(StatusCode.ERROR);
    }
    if (at == null) {
      span.end();
    } else {
      span.end(at);
    }
  }
}
