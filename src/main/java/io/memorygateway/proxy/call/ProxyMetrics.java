package io.memorygateway.proxy.call;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.http.api.RequestNotes;
import io.memorygateway.http.errors.BoundedLabel;
import io.memorygateway.price.PicoDollars;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/**
 * Metrics of proxied calls. Labels are bounded: endpoint, provider, status, and the first hundred
 * projects; never a key, thread or model.
 */
public final class ProxyMetrics {
  private static final double[] SECONDS = {
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600
  };

  private final Counter requests;
  private final Counter attempts;
  private final Counter fallbacks;
  private final Counter unknownStops;
  private final Histogram duration;
  private final Histogram upstream;
  private final Histogram added;
  private final Histogram firstByte;
  private final Gauge liveStreams;
  private final Counter tokens;
  private final Counter tokensByProject;
  private final Counter cost;
  private final Counter costByProject;
  private final BoundedLabel projects = new BoundedLabel(100);

  public ProxyMetrics(PrometheusRegistry registry) {
    requests =
        Counter.builder()
            .name("memory_gateway_llm_requests_total")
            .help(
                "Proxied calls that ended, by the status that the client saw; 499: the client"
                    + " left.")
            .labelNames("endpoint", "provider", "status")
            .register(registry);
    attempts =
        Counter.builder()
            .name("memory_gateway_llm_attempts_total")
            .help(
                "Attempts at targets that ended, by the status of each: as many as calls, and one"
                    + " more for each fallback.")
            .labelNames("endpoint", "provider", "status")
            .register(registry);
    fallbacks =
        Counter.builder()
            .name("memory_gateway_llm_fallbacks_total")
            .help("Attempts that failed and were followed by another one: callers did not notice.")
            .labelNames("endpoint", "provider", "reason")
            .register(registry);
    unknownStops =
        Counter.builder()
            .name("memory_gateway_translated_stops_unknown_total")
            .help("Translated answers that ended for a reason that is not known, told as the end.")
            .labelNames("endpoint", "provider")
            .register(registry);
    duration =
        Histogram.builder()
            .name("memory_gateway_llm_request_seconds")
            .help("From the call to the last byte of its answer.")
            .labelNames("endpoint", "provider")
            .classicOnly()
            .classicUpperBounds(SECONDS)
            .register(registry);
    upstream =
        Histogram.builder()
            .name("memory_gateway_llm_upstream_seconds")
            .help("From the request to the upstream to the last byte of its answer.")
            .labelNames("endpoint", "provider")
            .classicOnly()
            .classicUpperBounds(SECONDS)
            .register(registry);
    added =
        Histogram.builder()
            .name("memory_gateway_llm_added_seconds")
            .help(
                "What the gateway adds to a call: until it goes upstream, and after the last byte"
                    + " is back.")
            .labelNames("endpoint")
            .classicOnly()
            .classicUpperBounds(.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1)
            .register(registry);
    firstByte =
        Histogram.builder()
            .name("memory_gateway_llm_first_byte_seconds")
            .help("From the call to the head of the upstream's answer.")
            .labelNames("endpoint", "provider")
            .classicOnly()
            .classicUpperBounds(SECONDS)
            .register(registry);
    liveStreams =
        Gauge.builder()
            .name("memory_gateway_llm_live_streams")
            .help("Streams that are being passed on.")
            .register(registry);
    tokens =
        Counter.builder()
            .name("memory_gateway_llm_tokens_total")
            .help(
                "Tokens as upstreams report them, else as the gateway counts; cached_input is a part of input.")
            .labelNames("endpoint", "provider", "kind")
            .register(registry);
    tokensByProject =
        Counter.builder()
            .name("memory_gateway_project_tokens_total")
            .help("The same tokens by project; after the first 100 projects: other.")
            .labelNames("project", "kind")
            .register(registry);
    cost =
        Counter.builder()
            .name("memory_gateway_llm_cost_dollars_total")
            .help("What calls cost whose models have a known price.")
            .labelNames("endpoint", "provider")
            .register(registry);
    costByProject =
        Counter.builder()
            .name("memory_gateway_project_cost_dollars_total")
            .help("The same cost by project; after the first 100 projects: other.")
            .labelNames("project")
            .register(registry);
  }

  /** Counts an attempt that failed and was followed by another one. */
  void failedOver(CallMeasurement call, AttemptFailure failure) {
    attempts
        .labelValues(call.endpoint(), call.provider(), Integer.toString(failure.status()))
        .inc();
    fallbacks.labelValues(call.endpoint(), call.provider(), failure.reason().wireName()).inc();
  }

  void stopUnknown(CallMeasurement call) {
    unknownStops.labelValues(call.endpoint(), call.provider()).inc();
  }

  void firstByte(CallMeasurement call, double seconds) {
    firstByte.labelValues(call.endpoint(), call.provider()).observe(seconds);
  }

  void streamBegan() {
    liveStreams.inc();
  }

  void streamEnded() {
    liveStreams.dec();
  }

  void ended(CallMeasurement call, int status, int attemptStatus, double seconds) {
    String label = Integer.toString(status);
    String attemptLabel = attemptStatus == status ? label : Integer.toString(attemptStatus);
    requests.labelValues(call.endpoint(), call.provider(), label).inc();
    attempts.labelValues(call.endpoint(), call.provider(), attemptLabel).inc();
    duration.labelValues(call.endpoint(), call.provider()).observe(seconds);
  }

  void upstreamTook(CallMeasurement call, double seconds, double addedSeconds) {
    upstream.labelValues(call.endpoint(), call.provider()).observe(seconds);
    added.labelValues(call.endpoint()).observe(addedSeconds);
  }

  /** Counts what a call cost; nothing if that is not known. */
  void cost(String endpoint, String provider, RequestNotes notes, long picoDollars) {
    if (picoDollars > 0) {
      double dollars = picoDollars / PicoDollars.PER_DOLLAR;
      cost.labelValues(endpoint, provider).inc(dollars);
      String project = notes.project();
      if (project != null) {
        costByProject.labelValues(projects.of(project)).inc(dollars);
      }
    }
  }

  void used(String endpoint, String provider, RequestNotes notes, Figures usage) {
    for (Figure figure : Figure.TOKENS) {
      long number = usage.get(figure);
      if (number > 0) {
        String kind = figure.wireName().replace("_tokens", "");
        tokens.labelValues(endpoint, provider, kind).inc(number);
        String project = notes.project();
        if (project != null) {
          tokensByProject.labelValues(projects.of(project), kind).inc(number);
        }
      }
    }
  }
}
