package io.memorygateway.proxy;

import static java.util.Objects.requireNonNull;

import io.memorygateway.json.Timestamps;
import io.memorygateway.proxy.circuit.Circuit;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What operators are shown of a target's circuit.
 *
 * @param target as {@code provider/model}
 * @param state closed, open, half_open or forced_open
 * @param openSince null while it is closed
 * @param failures of the calls that count at present
 */
record CircuitState(
    String target, String state, @Nullable String openSince, int failures, int inFlight) {

  static CircuitState of(Target target) {
    Circuit circuit = requireNonNull(target.circuit());
    Instant since = circuit.openSince();
    return new CircuitState(
        target.name(),
        circuit.state().name().toLowerCase(Locale.ROOT),
        since == null ? null : Timestamps.format(since),
        Math.max(0, circuit.failures()),
        target.inFlight());
  }
}
