package io.memorygateway.proxy;

import io.memorygateway.dialect.Usage;

/** What is noted of one proxied call while it runs. Used by the thread that serves the call. */
final class CallRecord {
  private static final double NANOS_PER_SECOND = 1e9;

  private final ProxyMetrics metrics;
  private final String endpoint;
  private final String provider;
  private final long startNanos;
  private boolean streaming;

  CallRecord(ProxyMetrics metrics, String endpoint, String provider, long startNanos) {
    this.metrics = metrics;
    this.endpoint = endpoint;
    this.provider = provider;
    this.startNanos = startNanos;
  }

  String endpoint() {
    return endpoint;
  }

  String provider() {
    return provider;
  }

  void firstByte() {
    metrics.firstByte(this, secondsSinceStart());
  }

  void streamBegan() {
    streaming = true;
    metrics.streamBegan();
  }

  void usage(Usage usage) {
    metrics.used(this, usage);
  }

  /**
   * Ends the record.
   *
   * @param status what the client saw; for a stream that broke off, what it would have seen
   */
  void close(int status) {
    if (streaming) {
      metrics.streamEnded();
    }
    metrics.ended(this, status, secondsSinceStart());
  }

  private double secondsSinceStart() {
    return (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
  }
}
