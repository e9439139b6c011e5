package io.memorygateway.ratelimit;

import static java.util.Objects.requireNonNull;

import io.memorygateway.ratelimit.Decision.Outcome;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** What the limiter tells Prometheus. No label names a key. */
final class RateLimitMetrics {
  private final Map<RequestKind, Map<Outcome, CounterDataPoint>> decisions =
      new EnumMap<>(RequestKind.class);
  private final DistributionDataPoint batch;
  private final DistributionDataPoint store;
  private final CounterDataPoint fallbacks;
  private final CounterDataPoint timeouts;

  RateLimitMetrics(PrometheusRegistry registry, BooleanSupplier shared) {
    Counter counter =
        Counter.builder()
            .name("memory_gateway_rate_limit_decisions_total")
            .help("Requests by scope and outcome: allowed, limited, local, unavailable.")
            .labelNames("scope", "outcome")
            .register(registry);
    for (RequestKind kind : RequestKind.values()) {
      Map<Outcome, CounterDataPoint> outcomes = new EnumMap<>(Outcome.class);
      for (Outcome outcome : Outcome.values()) {
        String label = outcome.name().toLowerCase(Locale.ROOT);
        outcomes.put(outcome, counter.labelValues(kind.scope().wireName(), label));
      }
      decisions.put(kind, outcomes);
    }
    batch =
        Histogram.builder()
            .name("memory_gateway_rate_limit_batch_requests")
            .help("Requests that one transaction decided, those counted ahead included.")
            .classicOnly()
            .classicUpperBounds(1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
            .register(registry);
    store =
        Histogram.builder()
            .name("memory_gateway_rate_limit_store_seconds")
            .help("Time of one transaction on the shared windows.")
            .classicOnly()
            .classicUpperBounds(.0005, .001, .002, .005, .01, .025, .05, .1, .25, .5, 1, 2.5)
            .register(registry);
    fallbacks =
        Counter.builder()
            .name("memory_gateway_rate_limit_fallbacks_total")
            .help("How often the shared windows were lost.")
            .register(registry);
    timeouts =
        Counter.builder()
            .name("memory_gateway_rate_limit_timeouts_total")
            .help("Requests refused with 503 because they waited too long to be counted.")
            .register(registry);
    GaugeWithCallback.builder()
        .name("memory_gateway_rate_limit_shared")
        .help("1 while the windows in the database decide, 0 while this node is on its own.")
        .callback(gauge -> gauge.call(shared.getAsBoolean() ? 1 : 0))
        .register(registry);
  }

  void decided(RequestKind kind, Outcome outcome) {
    Map<Outcome, CounterDataPoint> outcomes = requireNonNull(decisions.get(kind));
    requireNonNull(outcomes.get(outcome)).inc();
  }

  void stored(int requests, double seconds) {
    batch.observe(requests);
    store.observe(seconds);
  }

  void timedOut() {
    timeouts.inc();
  }

  void fellBack() {
    fallbacks.inc();
  }
}
