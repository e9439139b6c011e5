package io.memorygateway.proxy.own;

import static java.util.Objects.requireNonNull;

import io.memorygateway.operator.AdminTask;
import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.TaskUsage;
import io.memorygateway.proxy.circuit.Circuit;
import io.memorygateway.proxy.route.Target;
import io.memorygateway.proxy.route.Targets;
import java.util.List;
import java.util.Map;

/** Admin task {@code circuit}: shows the circuits of targets, and opens or closes one manually. */
public record CircuitTask(Targets targets) implements AdminTask {
  private static final TaskUsage USAGE =
      TaskUsage.of(
          "circuit",
          "Show the circuits of routes' targets on this node, or open or close one",
          List.of(
              Parameter.optional("provider", "of the target"),
              Parameter.optional("model", "of the target, as it goes upstream"),
              Parameter.optional(
                  "state", "open: no calls until it is closed by hand; closed; left out: show")));

  @Override
  public TaskUsage usage() {
    return USAGE;
  }

  @Override
  public boolean isReadOnly(ParameterValues values) {
    return values.optional("state") == null;
  }

  @Override
  public String subject(ParameterValues values) {
    return target(values).name();
  }

  @Override
  public Object before(ParameterValues values) {
    return CircuitState.of(target(values));
  }

  private Target target(ParameterValues values) {
    return targets.require(values.required("provider"), values.required("model"));
  }

  @Override
  public Object run(ParameterValues values) {
    String state = values.oneOf("state", List.of("open", "closed"));
    if (state == null && values.optional("provider") == null && values.optional("model") == null) {
      return targets.configured().stream().map(CircuitState::of).toList();
    }
    Target target = target(values);
    Circuit circuit = requireNonNull(target.circuit());
    if ("open".equals(state)) {
      circuit.open();
    } else if ("closed".equals(state)) {
      circuit.close();
    }
    return Map.of("circuit", CircuitState.of(target));
  }
}
