package io.memorygateway.proxy.call;

import io.memorygateway.figures.CallFigures;
import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.http.api.RequestNotes;
import io.memorygateway.price.Prices;
import io.memorygateway.proxy.count.TokenEstimates;
import io.memorygateway.proxy.count.Uncounted;
import io.memorygateway.proxy.route.TargetLease;
import io.memorygateway.tracing.CallSpan;
import io.memorygateway.tracing.Tracing;
import io.memorygateway.usage.LoggedCall;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Factory of the measurements of proxied calls, with the receivers of their reports.
 *
 * @param health of the providers, by name
 * @param log receives every call at its end; does not block
 * @param estimates counts what upstreams do not
 * @param costComment whether streams tell what they cost
 */
public record CallMeasurements(
    ProxyMetrics metrics,
    Consumer<LoggedCall> log,
    Map<String, ProviderHealth> health,
    TokenEstimates estimates,
    Prices prices,
    boolean costComment,
    InstantSource clock,
    Tracing tracing) {

  public CallMeasurements {
    health = Map.copyOf(health);
  }

  /** Reports the end of a call to the provider's health. */
  void ended(String provider, int status, boolean failed) {
    ProviderHealth known = health.get(provider);
    // A client that left is no evidence about the provider.
    if (known != null && status != 499) {
      known.ended(failed);
    }
  }

  /**
   * Reports an answer to the gateway's own key to the provider's health.
   *
   * @param caller id of the API key that the call was made with
   */
  void keyAnswered(String provider, int status, long caller) {
    ProviderHealth known = health.get(provider);
    if (known != null) {
      known.key().answered(status, caller);
    }
  }

  /**
   * Starts the measurement of a call's next attempt.
   *
   * @param lease the attempt's lease of its target, ended with the measurement
   * @param progress of the call
   */
  CallMeasurement open(ProxyCall call, TargetLease lease, CallProgress progress) {
    return new CallMeasurement(this, call, lease, progress);
  }

  /**
   * Reports an attempt that has ended.
   *
   * @param at when its span ends; null: now
   */
  void report(LoggedCall row, CallSpan span, RequestNotes notes, @Nullable Instant at) {
    CallFigures ended = row.figures();
    metrics.cost(row.endpoint(), ended.provider(), notes, ended.values().get(Figure.COST));
    span.end(
        new CallSpan.End(
            ended.attempt().status(), ended.errorType(), ended.stream(), ended.values()),
        at);
    log.accept(row);
  }

  /**
   * Reports an attempt that ends now once the rest of its tokens is counted, by which time nothing
   * of its bodies is held but that.
   */
  void reportCounted(
      Uncounted rest, LoggedCall row, CallSpan span, RequestNotes notes, CallPrice price) {
    Instant at = clock.instant();
    estimates.count(
        rest,
        own -> {
          CallFigures ended = row.figures();
          Figures all = ended.values();
          Figures more = Figures.NONE;
          for (Figure figure : Figure.TOKENS) {
            long reported = Math.max(0, all.own(figure));
            if (own.get(figure) >= reported) {
              all = all.with(figure, own.get(figure));
              more = more.with(figure, own.get(figure) - reported);
            }
          }
          metrics.used(row.endpoint(), ended.provider(), notes, more);
          all = price.priced(all, false);
          report(row.with(ended.estimated(all)), span, notes, at);
        });
  }
}
