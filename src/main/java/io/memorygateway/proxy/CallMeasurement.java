package io.memorygateway.proxy;

import io.memorygateway.dialect.Usage;
import io.memorygateway.http.RequestNotes;
import java.time.Instant;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.jspecify.annotations.Nullable;

/**
 * The times and tokens of one proxied call, measured while it runs by the thread that serves it,
 * and reported to metrics, request log and health at its end.
 */
final class CallMeasurement {
  private static final double NANOS_PER_SECOND = 1e9;

  private final CallMeasurements measurements;
  private final ProxyMetrics metrics;
  private final ProxyCall call;
  private final String provider;
  private final String model;
  private final RequestNotes notes;
  private final Instant startedAt;
  private final long startNanos;
  private long sentNanos;
  private long firstByteNanos;
  private long endNanos;
  private boolean streaming;
  private Usage usage = Usage.NONE;

  CallMeasurement(
      CallMeasurements measurements,
      ProxyCall call,
      String provider,
      String model,
      long startNanos) {
    this.measurements = measurements;
    this.metrics = measurements.metrics();
    this.startedAt = measurements.clock().instant();
    this.call = call;
    this.provider = provider;
    this.model = model;
    this.notes = RequestNotes.of(call.request());
    this.startNanos = startNanos;
  }

  String endpoint() {
    return call.endpoint().configName();
  }

  String provider() {
    return provider;
  }

  RequestNotes notes() {
    return notes;
  }

  /** Everything is ready; the request goes to the upstream now. */
  void sent() {
    sentNanos = System.nanoTime();
  }

  void firstByte() {
    firstByteNanos = System.nanoTime();
    metrics.firstByte(this, (firstByteNanos - startNanos) / NANOS_PER_SECOND);
  }

  void streamBegan() {
    streaming = true;
    metrics.streamBegan();
  }

  /** The last byte of the upstream's answer is here; what follows is work of the gateway. */
  void answerRead() {
    endNanos = System.nanoTime();
  }

  void usage(Usage reported) {
    usage = reported;
    metrics.used(this, reported);
  }

  /**
   * Ends the measurement and reports it.
   *
   * @param status what the client saw; for a stream that broke off, what it would have seen
   */
  void close(int status) {
    close(status, LoggedCalls.errorType(status), status == 502 || status == 504);
  }

  /** Ends the measurement of a call that the upstream answered with an error. */
  void closeWithUpstreamError(int status) {
    close(status, LoggedCalls.UPSTREAM_ANSWER, status >= 500);
  }

  private void close(int status, @Nullable String errorType, boolean providerFailed) {
    if (streaming) {
      metrics.streamEnded();
    }
    long now = System.nanoTime();
    long upstreamEnd = endNanos == 0 ? now : endNanos;
    measurements.ended(provider, status, providerFailed);
    metrics.ended(this, status, (now - startNanos) / NANOS_PER_SECOND);
    if (sentNanos != 0) {
      long head =
          ServletContextRequest.getServletContextRequest(call.request()).getHeadersNanoTime();
      long before = sentNanos - head - notes.bodyNanos();
      metrics.upstreamTook(
          this,
          (upstreamEnd - sentNanos) / NANOS_PER_SECOND,
          (before + now - upstreamEnd) / NANOS_PER_SECOND);
    }
    RequestNotes.ModelCall ended =
        new RequestNotes.ModelCall(
            provider,
            model,
            streaming,
            usage.inputTokens(),
            usage.outputTokens(),
            usage.cachedInputTokens(),
            sentNanos == 0 ? RequestNotes.NONE : upstreamEnd - sentNanos,
            firstByteNanos == 0 ? RequestNotes.NONE : firstByteNanos - sentNanos);
    notes.call(ended);
    measurements
        .log()
        .accept(LoggedCalls.of(call, ended, startedAt, now - startNanos, status, errorType));
  }
}
