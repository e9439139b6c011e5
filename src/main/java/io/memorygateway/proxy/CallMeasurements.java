package io.memorygateway.proxy;

import io.memorygateway.usage.LoggedCall;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Starts the measurement of each proxied call, and has the places that it is reported to.
 *
 * @param health of the providers, by name
 * @param log gets every call when it is over; returns at once
 */
record CallMeasurements(
    ProxyMetrics metrics,
    Consumer<LoggedCall> log,
    Map<String, ProviderHealth> health,
    InstantSource clock) {

  CallMeasurements {
    health = Map.copyOf(health);
  }

  /** Tells the provider's health of a call that ended. */
  void ended(String provider, int status, boolean failed) {
    ProviderHealth known = health.get(provider);
    // A client that left says nothing of the provider.
    if (known != null && status != 499) {
      known.ended(failed);
    }
  }

  /**
   * Starts a measurement.
   *
   * @param model as it goes upstream
   * @param startNanos when the call began, of {@link System#nanoTime}
   */
  CallMeasurement open(ProxyCall call, String provider, String model, long startNanos) {
    return new CallMeasurement(this, call, provider, model, startNanos);
  }
}
