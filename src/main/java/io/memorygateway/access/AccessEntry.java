package io.memorygateway.access;

import io.memorygateway.figures.CallFigures;
import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.http.api.RequestId;
import io.memorygateway.http.api.RequestNotes;
import io.memorygateway.http.errors.PrintableText;
import io.memorygateway.price.PicoDollars;
import java.util.function.BiConsumer;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;

/**
 * A line of the access log: one request.
 *
 * @param endTime end of the request, milliseconds since the epoch
 * @param endpoint the template of its path; of a request refused before it was matched, its path if
 *     that is a known one
 * @param nanos from the last byte of its head to the last byte of its response
 */
record AccessEntry(
    long endTime,
    @Nullable String requestId,
    String method,
    String endpoint,
    int status,
    long nanos,
    long bytesIn,
    long bytesOut,
    RequestNotes notes) {

  private static final int MAX_MODEL_LENGTH = 128;
  private static final int MAX_NAME_LENGTH = 64;
  private static final int MAX_ATTEMPTS_LENGTH = 512;
  private static final double NANOS_PER_MILLI = 1e6;

  static AccessEntry of(Request request, Response response, long nowMillis, long nowNanos) {
    RequestNotes notes =
        request.getAttribute(RequestNotes.ATTRIBUTE) instanceof RequestNotes known
            ? known
            : new RequestNotes();
    String endpoint = notes.endpointAt(request.getHttpURI().getCanonicalPath());
    return new AccessEntry(
        nowMillis,
        response.getHeaders().get(RequestId.HEADER),
        request.getMethod(),
        endpoint == null ? "unmatched" : endpoint,
        response.getStatus(),
        nowNanos - request.getHeadersNanoTime(),
        Request.getContentBytesRead(request),
        Response.getContentBytesWritten(response),
        notes);
  }

  /** Passes on names and values in the order of the line: strings, longs, doubles and booleans. */
  void forEach(BiConsumer<String, Object> field) {
    put(field, "request_id", requestId, RequestId.MAX_LENGTH);
    put(field, "project", notes.project(), MAX_NAME_LENGTH);
    put(field, "key", notes.keyPrefix(), MAX_NAME_LENGTH);
    put(field, "method", method, MAX_NAME_LENGTH);
    field.accept("endpoint", endpoint);
    field.accept("status", (long) status);
    CallFigures call = notes.call();
    Figures figures = Figures.NONE;
    if (call != null) {
      put(field, "provider", call.provider(), MAX_NAME_LENGTH);
      put(field, "model", call.model(), MAX_MODEL_LENGTH);
      field.accept("stream", call.stream());
      put(field, "attempts", notes.attempts(), MAX_ATTEMPTS_LENGTH);
      figures = call.values();
    }
    figures = figures.with(Figure.DURATION_MS, nanos);
    for (Figure figure : Figure.LOGGED) {
      long value = figures.get(figure);
      if (value >= 0) {
        field.accept(
            figure.wireName(),
            figure.isTime()
                ? (Object) millis(value)
                : figure == Figure.COST ? PicoDollars.dollars(value) : (Object) value);
      }
    }
    number(field, "bytes_in", bytesIn);
    number(field, "bytes_out", bytesOut);
  }

  private static void put(
      BiConsumer<String, Object> field, String name, @Nullable String value, int maxLength) {
    if (value != null) {
      field.accept(name, PrintableText.of(value, maxLength));
    }
  }

  private static void number(BiConsumer<String, Object> field, String name, long value) {
    if (value >= 0) {
      field.accept(name, value);
    }
  }

  private static double millis(long nanos) {
    return Math.round(nanos / NANOS_PER_MILLI * 1000) / 1000.0;
  }

  /** The line as text: {@code name=value} pairs, with quotes around values that contain blanks. */
  @Override
  public String toString() {
    StringBuilder line = new StringBuilder(256);
    forEach(
        (name, value) -> {
          line.append(line.isEmpty() ? "" : " ").append(name).append('=');
          String text = value.toString();
          if (text.indexOf(' ') < 0 && text.indexOf('"') < 0 && !text.isEmpty()) {
            line.append(text);
          } else {
            line.append('"').append(text.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
          }
        });
    return line.toString();
  }
}
