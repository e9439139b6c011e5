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

  /** Tells the provider's health whether it accepts the gateway's own key. */
  void keyAnswered(String provider, int status) {
    ProviderHealth known = health.get(provider);
    if (known != null) {
      known.keyAnswered(status);
    }
  }

  /**
   * Starts the measurement of a call's next attempt.
   *
   * @param lease the attempt's place at its target, ended with the measurement
   * @param progress of the call
   */
  CallMeasurement open(ProxyCall call, TargetLease lease, CallProgress progress) {
    return new CallMeasurement(this, call, lease, progress);
  }
}
