package io.memorygateway.auth;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Locale;
import java.util.function.BooleanSupplier;

/** Metrics of authentication. No label names a key or an address. */
final class AuthMetrics {
  enum Refusal {
    /** The request has no key of the gateway. */
    MISSING,
    /** Its key is malformed, unknown, revoked or expired. */
    INVALID,
    /** Its address had too many failures. */
    THROTTLED,
    /** Its key could not be checked. */
    UNAVAILABLE;

    private String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Counter lookUps;
  private final Counter rejected;
  private final Counter refused;
  private final PrometheusRegistry registry;

  AuthMetrics(PrometheusRegistry registry) {
    this.registry = registry;
    lookUps =
        Counter.builder()
            .name("memory_gateway_key_look_ups_total")
            .help("API keys that the database was asked for.")
            .register(registry);
    rejected =
        Counter.builder()
            .name("memory_gateway_key_look_ups_rejected_total")
            .help("Look-ups of API keys that were not made because too many waited.")
            .register(registry);
    refused =
        Counter.builder()
            .name("memory_gateway_authentications_refused_total")
            .help("Requests refused: missing, invalid (401), throttled (429), unavailable (503).")
            .labelNames("reason")
            .register(registry);
    for (Refusal refusal : Refusal.values()) {
      refused.initLabelValues(refusal.label());
    }
  }

  void showReachable(BooleanSupplier reachable) {
    GaugeWithCallback.builder()
        .name("memory_gateway_key_store_reachable")
        .help("1 while API keys can be looked up, 0 while the database cannot be reached.")
        .callback(gauge -> gauge.call(reachable.getAsBoolean() ? 1 : 0))
        .register(registry);
  }

  void asked(int keys) {
    lookUps.inc(keys);
  }

  void rejected() {
    rejected.inc();
  }

  void refused(Refusal refusal) {
    refused.labelValues(refusal.label()).inc();
  }
}
