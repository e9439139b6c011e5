package io.memorygateway.proxy.own;

import static java.util.Objects.requireNonNull;

import io.memorygateway.json.Timestamps;
import io.memorygateway.proxy.circuit.Circuit;
import io.memorygateway.proxy.route.Target;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * State of a target's circuit, as shown to operators.
 *
 * @param target as {@code provider/model}
 * @param state closed, open, half_open or forced_open; open where it is open for somebody
 * @param model name as it is sent upstream
 * @param openSince null while it is closed
 * @param closesAt when the next call is let through as a probe; null while it is closed, or open
 *     until an operator closes it
 * @param failures among the calls that count at present
 * @param openForKeys API keys whose own calls are kept away, or probe the target
 * @param openForAll whether the calls of all keys are
 */
public record CircuitState(
    String target,
    String model,
    String state,
    @Nullable String openSince,
    @Nullable String closesAt,
    int failures,
    int inFlight,
    int openForKeys,
    boolean openForAll) {

  static CircuitState of(Target target) {
    Circuit.View circuit = requireNonNull(target.circuit()).view();
    return new CircuitState(
        target.name(),
        target.model(),
        circuit.state().name().toLowerCase(Locale.ROOT),
        Timestamps.formatOrNull(circuit.openSince()),
        Timestamps.formatOrNull(circuit.openUntil()),
        circuit.failures(),
        target.inFlight(),
        circuit.openForKeys(),
        circuit.openForAll());
  }
}
