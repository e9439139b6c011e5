package io.memorygateway.proxy;

import static java.util.Objects.requireNonNull;

import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.operator.AdminTask;
import io.memorygateway.operator.TaskUsage;
import io.memorygateway.operator.Word;
import io.memorygateway.operator.Words;
import io.memorygateway.proxy.circuit.Circuit;
import java.util.List;
import java.util.Map;

/** {@code circuit}: shows the circuits of targets, and opens or closes one by hand. */
final class CircuitTask implements AdminTask {
  private static final TaskUsage USAGE =
      TaskUsage.of(
          "circuit",
          "Show the circuits of routes' targets on this node, or open or close one",
          List.of(
              Word.optional("provider", "of the target"),
              Word.optional("model", "of the target, as it goes upstream"),
              Word.optional(
                  "state", "open: no calls until it is closed by hand; closed; left out: show")));

  private final Targets targets;

  CircuitTask(Targets targets) {
    this.targets = targets;
  }

  @Override
  public TaskUsage usage() {
    return USAGE;
  }

  @Override
  public Object run(Words words) {
    String state = words.oneOf("state", List.of("open", "closed"));
    if (state == null && words.optional("provider") == null && words.optional("model") == null) {
      return targets.all().stream().map(CircuitState::of).toList();
    }
    Target target = target(words.required("provider"), words.required("model"));
    Circuit circuit = requireNonNull(target.circuit());
    if ("open".equals(state)) {
      circuit.open();
    } else if ("closed".equals(state)) {
      circuit.close();
    }
    return Map.of("circuit", CircuitState.of(target));
  }

  private Target target(String provider, String model) {
    Target target = targets.find(provider + "/" + model);
    if (target == null) {
      // Of a provider whose models have the prefix themselves.
      target = targets.find(model);
      if (target != null && !target.provider().name().equals(provider)) {
        target = null;
      }
    }
    if (target == null) {
      throw new ApiException(
          ApiError.notFound("No route has this target; without parameters all are shown."));
    }
    return target;
  }
}
