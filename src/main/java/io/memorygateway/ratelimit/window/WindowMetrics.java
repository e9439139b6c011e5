package io.memorygateway.ratelimit.window;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.BooleanSupplier;

/** Metrics of the shared windows and of the transactions on them. */
final class WindowMetrics {
  private final DistributionDataPoint batch;
  private final DistributionDataPoint store;
  private final CounterDataPoint fallbacks;
  private final CounterDataPoint timeouts;

  WindowMetrics(PrometheusRegistry registry, BooleanSupplier shared) {
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
