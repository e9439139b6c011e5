package io.memorygateway.proxy;

import io.memorygateway.dialect.Usage;
import io.memorygateway.http.LlmNotes;
import io.memorygateway.http.RequestNotes;
import java.time.Instant;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.jspecify.annotations.Nullable;

/** What is noted of one proxied call while it runs. Used by the thread that serves the call. */
final class CallRecord {
  private static final double NANOS_PER_SECOND = 1e9;

  private final CallRecords records;
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

  CallRecord(CallRecords records, ProxyCall call, String provider, String model, long startNanos) {
    this.records = records;
    this.metrics = records.metrics();
    this.startedAt = records.clock().instant();
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
   * Ends the record.
   *
   * @param status what the client saw; for a stream that broke off, what it would have seen
   */
  void close(int status) {
    close(status, CallLogEntry.errorType(status), status == 502 || status == 504);
  }

  /** Ends the record of a call that the upstream answered with an error. */
  void closeWithUpstreamError(int status) {
    close(status, CallLogEntry.UPSTREAM_ANSWER, status >= 500);
  }

  private void close(int status, @Nullable String errorType, boolean providerFailed) {
    if (streaming) {
      metrics.streamEnded();
    }
    long now = System.nanoTime();
    long upstreamEnd = endNanos == 0 ? now : endNanos;
    records.ended(provider, status, providerFailed);
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
    LlmNotes ended =
        new LlmNotes(
            provider,
            model,
            streaming,
            usage.inputTokens(),
            usage.outputTokens(),
            usage.cachedInputTokens(),
            sentNanos == 0 ? RequestNotes.NONE : upstreamEnd - sentNanos,
            firstByteNanos == 0 ? RequestNotes.NONE : firstByteNanos - sentNanos);
    notes.call(ended);
    records
        .log()
        .accept(CallLogEntry.of(call, ended, startedAt, now - startNanos, status, errorType));
  }
}
