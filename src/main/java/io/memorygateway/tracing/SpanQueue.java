package io.memorygateway.tracing;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A bounded number of spans on their way to the collector. While it is full, which it is when the
 * collector is slow or away, no span is recorded at all: making one costs more than dropping it
 * saves.
 */
final class SpanQueue implements SpanProcessor {
  private final int capacity;
  private final SpanProcessor batches;
  private final AtomicInteger waiting = new AtomicInteger();
  private final CounterDataPoint sent;
  private final CounterDataPoint failed;
  private final CounterDataPoint dropped;

  SpanQueue(TracingSettings settings, SpanExporter exporter, PrometheusRegistry registry) {
    capacity = settings.queueSize();
    Counter spans =
        Counter.builder()
            .name("memory_gateway_trace_spans_total")
            .help("Spans by what became of them: sent, failed, or dropped because too many waited.")
            .labelNames("outcome")
            .register(registry);
    sent = spans.labelValues("sent");
    failed = spans.labelValues("failed");
    dropped = spans.labelValues("dropped");
    batches =
        BatchSpanProcessor.builder(new CountingExporter(exporter))
            .setMaxQueueSize(capacity)
            .setMaxExportBatchSize(settings.batchSize())
            .setScheduleDelay(settings.scheduleDelay())
            .setExporterTimeout(settings.exportTimeout())
            .build();
  }

  /** Samples as another does, but nothing while the queue is full. */
  Sampler sampler(Sampler other) {
    return new UnlessFull(other);
  }

  @Override
  public void onStart(Context parent, ReadWriteSpan span) {}

  @Override
  public boolean isStartRequired() {
    return false;
  }

  @Override
  public void onEnd(ReadableSpan span) {
    if (waiting.incrementAndGet() > capacity) {
      waiting.decrementAndGet();
      dropped.inc();
    } else {
      batches.onEnd(span);
    }
  }

  @Override
  public boolean isEndRequired() {
    return true;
  }

  @Override
  public CompletableResultCode forceFlush() {
    return batches.forceFlush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return batches.shutdown();
  }

  private final class UnlessFull implements Sampler {
    private final Sampler other;

    UnlessFull(Sampler other) {
      this.other = other;
    }

    @Override
    public SamplingResult shouldSample(
        Context parent,
        String traceId,
        String name,
        SpanKind kind,
        Attributes attributes,
        List<LinkData> links) {
      SamplingResult result = other.shouldSample(parent, traceId, name, kind, attributes, links);
      if (waiting.get() < capacity || result.equals(SamplingResult.drop())) {
        return result;
      }
      dropped.inc();
      return SamplingResult.drop();
    }

    @Override
    public String getDescription() {
      return other.getDescription() + " unless too many wait";
    }
  }

  /** Spans leave the queue when the collector has them, or the exporter has given up. */
  private final class CountingExporter implements SpanExporter {
    private final SpanExporter exporter;

    CountingExporter(SpanExporter exporter) {
      this.exporter = exporter;
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      int count = spans.size();
      CompletableResultCode result = exporter.export(spans);
      return result.whenComplete(
          () -> {
            waiting.addAndGet(-count);
            (result.isSuccess() ? sent : failed).inc(count);
          });
    }

    @Override
    public CompletableResultCode flush() {
      return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
      return exporter.shutdown();
    }
  }
}
