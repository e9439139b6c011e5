package io.memorygateway.observation;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** Metrics of the observer's work. Labels are bounded: never a thread or a model. */
final class ObservationMetrics {
  private final Counter observations;
  private final Counter reflections;
  private final Counter rejected;
  private final Counter failures;
  private final Counter modelFailures;
  private final Counter tokens;
  private final Counter modelTokens;
  private final Gauge lag;

  ObservationMetrics(PrometheusRegistry registry) {
    observations =
        counter("memory_gateway_observations_total")
            .help("Observations appended to a record, by whether they had been prepared.")
            .labelNames("prepared")
            .register(registry);
    reflections =
        counter("memory_gateway_reflections_total")
            .help("Logs condensed to a new record.")
            .labelNames("observer")
            .register(registry);
    rejected =
        counter("memory_gateway_reflections_rejected_total")
            .help("Reflections that were empty, not smaller or repeating, and not kept.")
            .register(registry);
    failures =
        counter("memory_gateway_observation_failures_total")
            .help("Work on a thread that broke off and is tried again.")
            .register(registry);
    modelFailures =
        counter("memory_gateway_observer_model_failures_total")
            .help("Calls of the observer model without an answer that can be kept.")
            .labelNames("reason")
            .register(registry);
    tokens =
        counter("memory_gateway_observation_tokens_total")
            .help(
                "Tokens before and after: of messages and their observations, of logs and their"
                    + " reflections, of observations and what is known of their resource.")
            .labelNames("work", "side")
            .register(registry);
    modelTokens =
        counter("memory_gateway_observer_model_tokens_total")
            .help(
                "Tokens of the observer model as its provider reports them; not among those of"
                    + " callers.")
            .labelNames("kind")
            .register(registry);
    lag =
        Gauge.builder()
            .name("memory_gateway_observation_lag_seconds")
            .help("For how long the thread that waits longest is to be observed.")
            .register(registry);
  }

  private static Counter.Builder counter(String name) {
    return Counter.builder().name(name);
  }

  void observed(boolean prepared) {
    observations.labelValues(Boolean.toString(prepared)).inc();
  }

  void noted(long before, long after) {
    tokens.labelValues("observation", "before").inc(before);
    tokens.labelValues("observation", "after").inc(after);
  }

  void reflected(String observer, long before, long after) {
    reflections.labelValues(observer).inc();
    tokens.labelValues("reflection", "before").inc(before);
    tokens.labelValues("reflection", "after").inc(after);
  }

  void known(long before, long after) {
    tokens.labelValues("resource", "before").inc(before);
    tokens.labelValues("resource", "after").inc(after);
  }

  void reflectionRejected() {
    rejected.inc();
  }

  void failed() {
    failures.inc();
  }

  void modelFailed(String reason) {
    modelFailures.labelValues(reason).inc();
  }

  void modelUsed(long input, long output) {
    modelTokens.labelValues("input").inc(Math.max(0, input));
    modelTokens.labelValues("output").inc(Math.max(0, output));
  }

  void lag(double seconds) {
    lag.set(seconds);
  }
}
