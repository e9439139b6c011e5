package io.memorygateway.proxy;

import static java.util.Objects.requireNonNull;

import io.memorygateway.json.Timestamps;
import io.memorygateway.proxy.circuit.Circuit;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * State of a target's circuit, as shown to operators.
 *
 * @param target as {@code provider/model}
 * @param state closed, open, half_open or forced_open
 * @param model name as it is sent upstream
 * @param openSince null while it is closed
 * @param closesAt when the next call is let through as a probe; null while it is closed, or open
 *     until an operator closes it
 * @param failures among the calls that count at present
 */
public record CircuitState(
    String target,
    String model,
    String state,
    @Nullable String openSince,
    @Nullable String closesAt,
    int failures,
    int inFlight) {

  static CircuitState of(Target target) {
    Circuit circuit = requireNonNull(target.circuit());
    Instant since = circuit.openSince();
    Instant until = circuit.openUntil();
    return new CircuitState(
        target.name(),
        target.model(),
        circuit.state().name().toLowerCase(Locale.ROOT),
        since == null ? null : Timestamps.format(since),
        until == null ? null : Timestamps.format(until),
        Math.max(0, circuit.failures()),
        target.inFlight());
  }
}
