package io.memorygateway.turn;

import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Locale;

/** Metrics of recall. */
final class RecallMetrics {
  private static final double NANOS_PER_SECOND = 1e9;

  /** How a recall ended. */
  enum Outcome {
    FOUND,
    NOTHING,
    /** Not done within the time limit. */
    LATE,
    FAILED,
    /** Not tried, because several recalls before were late or failed. */
    PAUSED
  }

  private final Counter recalls;
  private final DistributionDataPoint seconds;

  RecallMetrics(PrometheusRegistry registry) {
    this.recalls =
        Counter.builder()
            .name("memory_gateway_recalls_total")
            .help(
                "Turns for which old messages were looked for: found, nothing, late (the call went"
                    + " on without), failed, paused (several before were late or failed).")
            .labelNames("outcome")
            .register(registry);
    for (Outcome outcome : Outcome.values()) {
      recalls.labelValues(name(outcome));
    }
    this.seconds =
        Histogram.builder()
            .name("memory_gateway_recall_seconds")
            .help("What recall adds to opening a turn.")
            .classicUpperBounds(.0005, .001, .002, .005, .01, .02, .05, .1, .5, 1)
            .classicOnly()
            .register(registry)
            .labelValues();
  }

  private static String name(Outcome outcome) {
    return outcome.name().toLowerCase(Locale.ROOT);
  }

  void ended(Outcome outcome) {
    recalls.labelValues(name(outcome)).inc();
  }

  void ended(Outcome outcome, long nanos) {
    ended(outcome);
    seconds.observe(nanos / NANOS_PER_SECOND);
  }
}
