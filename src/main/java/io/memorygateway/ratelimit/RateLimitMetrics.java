package io.memorygateway.ratelimit;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Locale;

/** Metrics of decisions. No label names a key. */
final class RateLimitMetrics {
  private final Counter decisions;

  RateLimitMetrics(PrometheusRegistry registry) {
    decisions =
        Counter.builder()
            .name("memory_gateway_rate_limit_decisions_total")
            .help("Requests by scope and outcome: allowed, limited, local, unavailable.")
            .labelNames("scope", "outcome")
            .register(registry);
    for (RequestKind kind : RequestKind.values()) {
      for (Outcome outcome : Outcome.values()) {
        decisions.initLabelValues(kind.scope(), label(outcome));
      }
    }
  }

  void decided(RequestKind kind, Outcome outcome) {
    decisions.labelValues(kind.scope(), label(outcome)).inc();
  }

  private static String label(Outcome outcome) {
    return outcome.name().toLowerCase(Locale.ROOT);
  }
}
