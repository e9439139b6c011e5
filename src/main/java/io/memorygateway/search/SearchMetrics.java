package io.memorygateway.search;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Metrics of search. */
final class SearchMetrics {
  private final PrometheusRegistry registry;
  private final Histogram seconds;
  private final Counter searches;
  private final Counter indexed;
  private final Counter refused;
  private final Counter truncated;

  SearchMetrics(PrometheusRegistry registry) {
    this.registry = registry;
    this.seconds =
        Histogram.builder()
            .name("memory_gateway_search_seconds")
            .help("Searches of messages, from the request to the hits.")
            .classicOnly()
            .classicUpperBounds(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30)
            .register(registry);
    this.searches =
        Counter.builder()
            .name("memory_gateway_searches_total")
            .help(
                "Searches by how their hits are ranked: by words (bm25), or by meaning as well"
                    + " (hybrid).")
            .labelNames("ranking")
            .register(registry);
    this.indexed =
        Counter.builder()
            .name("memory_gateway_search_indexed_messages_total")
            .help("Messages that were read from the database to be searched.")
            .register(registry);
    this.refused =
        Counter.builder()
            .name("memory_gateway_searches_refused_total")
            .help("Searches that were refused (503) because too many waited.")
            .register(registry);
    this.truncated =
        Counter.builder()
            .name("memory_gateway_searches_truncated_total")
            .help("Searches of the newest messages only, because all of them exceed search.cache.")
            .register(registry);
  }

  void searched(long nanos, boolean isHybrid) {
    searches.labelValues(isHybrid ? "hybrid" : "bm25").inc();
    seconds.observe((double) nanos / TimeUnit.SECONDS.toNanos(1));
  }

  void indexed() {
    indexed.inc();
  }

  void refused() {
    refused.inc();
  }

  void truncated() {
    truncated.inc();
  }

  void cachedBytes(LongSupplier bytes) {
    GaugeWithCallback.builder()
        .name("memory_gateway_search_cache_bytes")
        .help("Bytes of terms that are cached for searches.")
        .callback(callback -> callback.call((double) bytes.getAsLong()))
        .register(registry);
  }
}
