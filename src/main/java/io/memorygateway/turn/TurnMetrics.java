package io.memorygateway.turn;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** Metrics of turns. */
final class TurnMetrics {
  private static final double NANOS_PER_SECOND = 1e9;

  private final CounterDataPoint stored;
  private final CounterDataPoint unreadable;
  private final CounterDataPoint bypassed;
  private final CounterDataPoint failed;
  private final CounterDataPoint tooLong;
  private final CounterDataPoint heapExhausted;
  private final Counter replays;
  private final CounterDataPoint elided;
  private final Counter largeCallsRefused;
  private final DistributionDataPoint opening;
  private final DistributionDataPoint committing;

  TurnMetrics(PrometheusRegistry registry) {
    Counter turns =
        Counter.builder()
            .name("memory_gateway_turns_total")
            .help(
                "Turns of threads: stored, unreadable (an answer stored as far as it could be read),"
                    + " bypassed (the store was down), too_long (an answer above 32 MiB, not"
                    + " stored), no_room (no heap to keep the answer in, not stored), failed to be"
                    + " stored.")
            .labelNames("outcome")
            .register(registry);
    this.stored = turns.labelValues("stored");
    this.unreadable = turns.labelValues("unreadable");
    this.bypassed = turns.labelValues("bypassed");
    this.failed = turns.labelValues("failed");
    this.tooLong = turns.labelValues("too_long");
    this.heapExhausted = turns.labelValues("no_room");
    this.replays =
        Counter.builder()
            .name("memory_gateway_turn_replays_total")
            .help(
                "Calls answered from what was stored: their Idempotency-Key had an answer, or the"
                    + " same call had one whose end was not seen.")
            .labelNames("by")
            .register(registry);
    replays.initLabelValues("idempotency_key");
    replays.initLabelValues("same_call");
    this.elided =
        Counter.builder()
            .name("memory_gateway_turns_elided_total")
            .help(
                "Turns of which a part of the thread that is not observed did not go upstream, for"
                    + " lack of room.")
            .register(registry)
            .labelValues();
    this.largeCallsRefused =
        Counter.builder()
            .name("memory_gateway_large_calls_refused_total")
            .help("Large calls with memory that were refused (503) because too many waited.")
            .register(registry);
    Histogram seconds =
        Histogram.builder()
            .name("memory_gateway_turn_seconds")
            .help(
                "What turns add to a call: open, reading the thread; commit, holding back the end.")
            .labelNames("step")
            .classicUpperBounds(.0005, .001, .002, .005, .01, .02, .05, .1, .5, 1, 5)
            .classicOnly()
            .register(registry);
    this.opening = seconds.labelValues("open");
    this.committing = seconds.labelValues("commit");
  }

  void replayed(String by) {
    replays.labelValues(by).inc();
  }

  void elided() {
    elided.inc();
  }

  void largeCallRefused() {
    largeCallsRefused.inc();
  }

  void opened(long nanos) {
    opening.observe(nanos / NANOS_PER_SECOND);
  }

  void stored(long nanos, boolean readable) {
    (readable ? stored : unreadable).inc();
    committing.observe(nanos / NANOS_PER_SECOND);
  }

  void bypassed() {
    bypassed.inc();
  }

  void tooLong() {
    tooLong.inc();
  }

  void heapExhausted() {
    heapExhausted.inc();
  }

  void failed() {
    failed.inc();
  }
}
