package io.memorygateway.proxy;

import io.memorygateway.proxy.circuit.Circuit;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The targets of routes, each with its circuit and its calls in flight: those of the configuration,
 * and a bounded number of those that callers name in {@code models}. For any number of threads.
 */
final class Targets {
  /** Of callers; what comes after them starts with a closed circuit each time. */
  private static final int MOST_NAMED_BY_CALLERS = 1000;

  private final Clock clock;
  private final Map<String, Target> configured = new LinkedHashMap<>();
  private final Map<String, Target> namedByCallers = new ConcurrentHashMap<>();

  Targets(Clock clock) {
    this.clock = clock;
  }

  /** The target of a configured route; while the node is wired. */
  Target configured(Provider provider, String model) {
    return configured.computeIfAbsent(
        Target.name(provider, model), name -> target(name, provider, model));
  }

  /** The target that a caller named. */
  Target named(Provider provider, String model) {
    String name = Target.name(provider, model);
    Target known = find(name);
    if (known != null) {
      return known;
    }
    return namedByCallers.size() < MOST_NAMED_BY_CALLERS
        ? namedByCallers.computeIfAbsent(name, unknown -> target(unknown, provider, model))
        : target(name, provider, model);
  }

  private Target target(String name, Provider provider, String model) {
    return Target.shared(provider, model, new Circuit(name, clock));
  }

  /** The target of this name, as {@code provider/model}; null if there is none. */
  @Nullable Target find(String name) {
    Target target = configured.get(name);
    return target == null ? namedByCallers.get(name) : target;
  }

  /** Those of the configuration. */
  List<Target> configured() {
    return List.copyOf(configured.values());
  }

  /** All of them. */
  List<Target> all() {
    List<Target> all = new ArrayList<>(configured.values());
    all.addAll(namedByCallers.values());
    return all;
  }
}
