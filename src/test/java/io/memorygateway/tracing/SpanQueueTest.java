package io.memorygateway.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.TestTimeout;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SpanQueueTest {
  private static final int CAPACITY = 4;

  private final SlowCollector collector = new SlowCollector();
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final SpanQueue queue = new SpanQueue(settings(), collector, registry);
  private final SdkTracerProvider provider =
      SdkTracerProvider.builder()
          .setSampler(queue.sampler(Sampler.alwaysOn()))
          .addSpanProcessor(queue)
          .build();
  private final Tracer tracer = provider.get("test");

  @AfterEach
  void stop() {
    collector.answerAll = true;
    collector.exports.forEach(CompletableResultCode::succeed);
    assertThat(provider.shutdown().join(TestTimeout.SECONDS, TimeUnit.SECONDS).isSuccess())
        .isTrue();
  }

  @Test
  void nothingIsRecordedWhileTheCollectorHasNotTakenWhatWaits() throws Exception {
    for (int i = 0; i < CAPACITY; i++) {
      endSpan();
    }
    for (int i = 0; i < 100; i++) {
      assertThat(tracer.spanBuilder("more").startSpan().isRecording()).isFalse();
    }
    assertThat(spans("dropped")).isEqualTo(100);

    collector.nextExport().succeed();
    await().until(() -> spans("sent") > 0);

    assertThat(tracer.spanBuilder("again").startSpan().isRecording()).isTrue();
    assertThat(spans("failed")).isZero();
  }

  /** They are more than the queue takes, each begun while there was room. */
  @Test
  void spansThatEndTogetherDoNotExceedTheCapacity() {
    Span[] spans = new Span[20];
    for (int i = 0; i < spans.length; i++) {
      spans[i] = tracer.spanBuilder("together").startSpan();
    }
    for (Span span : spans) {
      span.end();
    }
    assertThat(spans("dropped")).isEqualTo(spans.length - CAPACITY);
  }

  @Test
  void spansThatCouldNotBeSentDoNotWait() throws Exception {
    for (int i = 0; i < CAPACITY; i++) {
      endSpan();
    }
    collector.nextExport().fail();
    await().until(() -> spans("failed") > 0);

    assertThat(tracer.spanBuilder("again").startSpan().isRecording()).isTrue();
  }

  private void endSpan() {
    Span span = tracer.spanBuilder("a").startSpan();
    assertThat(span.isRecording()).isTrue();
    span.end();
  }

  private long spans(String outcome) {
    return (long)
        registry.scrape(name -> name.startsWith("memory_gateway_trace_spans")).stream()
            .flatMap(metric -> ((CounterSnapshot) metric).getDataPoints().stream())
            .filter(point -> outcome.equals(point.getLabels().get("outcome")))
            .mapToDouble(CounterSnapshot.CounterDataPointSnapshot::getValue)
            .sum();
  }

  private static TracingSettings settings() {
    return Objects.requireNonNull(
        TracingSettings.of(
            Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:1",
                "OTEL_BSP_MAX_QUEUE_SIZE", Integer.toString(CAPACITY),
                "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "2",
                "OTEL_BSP_SCHEDULE_DELAY", "1")));
  }

  /** Answers an export when the test says so. */
  private static final class SlowCollector implements SpanExporter {
    final BlockingQueue<CompletableResultCode> exports = new LinkedBlockingQueue<>();
    volatile boolean answerAll;

    CompletableResultCode nextExport() throws InterruptedException {
      return Objects.requireNonNull(exports.poll(TestTimeout.SECONDS, TimeUnit.SECONDS));
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      CompletableResultCode result = new CompletableResultCode();
      exports.add(result);
      return answerAll ? result.succeed() : result;
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }
}
