package io.memorygateway.ratelimit;

import static java.util.Objects.requireNonNull;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Metrics of decisions. No label names a key. */
final class RateLimitMetrics {
  private final Map<RequestKind, Map<Outcome, CounterDataPoint>> decisions =
      new EnumMap<>(RequestKind.class);

  RateLimitMetrics(PrometheusRegistry registry) {
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
        outcomes.put(outcome, counter.labelValues(kind.scope(), label));
      }
      decisions.put(kind, outcomes);
    }
  }

  void decided(RequestKind kind, Outcome outcome) {
    Map<Outcome, CounterDataPoint> outcomes = requireNonNull(decisions.get(kind));
    requireNonNull(outcomes.get(outcome)).inc();
  }
}
