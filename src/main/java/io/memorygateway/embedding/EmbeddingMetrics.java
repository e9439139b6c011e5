package io.memorygateway.embedding;

import io.memorygateway.embedding.EmbeddingFailureException.Reason;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Metrics of embeddings. */
final class EmbeddingMetrics {
  private final PrometheusRegistry registry;
  private final Counter embedded;
  private final Counter skipped;
  private final Counter failures;
  private final Counter tokens;
  private final Counter queries;
  private final Gauge pending;

  enum QueryOutcome {
    /** Within the time limit. */
    EMBEDDED,
    /** Not within the time limit. */
    LATE,
    FAILED,
    /** Not waited for, because the provider failed recently. */
    PAUSED;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  EmbeddingMetrics(PrometheusRegistry registry) {
    this.registry = registry;
    embedded =
        counter("memory_gateway_embedded_messages_total")
            .help("Messages whose vectors were stored.")
            .register(registry);
    skipped =
        counter("memory_gateway_embedding_skipped_messages_total")
            .help("Messages without a vector because the model does not take their text.")
            .register(registry);
    failures =
        counter("memory_gateway_embedding_failures_total")
            .help("Calls of the embedding model without a valid answer, by reason.")
            .labelNames("reason")
            .register(registry);
    tokens =
        counter("memory_gateway_embedding_tokens_total")
            .help(
                "Tokens of the embedding model as its provider reports them; not among those of"
                    + " callers.")
            .register(registry);
    queries =
        counter("memory_gateway_query_embeddings_total")
            .help("Searches whose query was to be embedded, by outcome.")
            .labelNames("outcome")
            .register(registry);
    pending =
        Gauge.builder()
            .name("memory_gateway_embedding_pending_threads")
            .help("Threads with messages to be embedded, as far as the last look found them.")
            .register(registry);
    for (Reason reason : Reason.values()) {
      failures.initLabelValues(reason.label());
    }
    for (QueryOutcome outcome : QueryOutcome.values()) {
      queries.initLabelValues(outcome.label());
    }
  }

  private static Counter.Builder counter(String name) {
    return Counter.builder().name(name);
  }

  void embedded(int messages) {
    embedded.inc(messages);
  }

  void skipped() {
    skipped.inc();
  }

  void failed(Reason reason) {
    failures.labelValues(reason.label()).inc();
  }

  void used(long inputTokens) {
    tokens.inc(Math.max(0, inputTokens));
  }

  void queryEnded(QueryOutcome outcome) {
    queries.labelValues(outcome.label()).inc();
  }

  void pending(int threads) {
    pending.set(threads);
  }

  void cachedBytes(LongSupplier bytes) {
    GaugeWithCallback.builder()
        .name("memory_gateway_embedding_cache_bytes")
        .help("Bytes of vectors that are cached for searches.")
        .callback(callback -> callback.call((double) bytes.getAsLong()))
        .register(registry);
  }
}
