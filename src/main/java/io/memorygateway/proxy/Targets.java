package io.memorygateway.proxy;

import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
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
 * and a bounded number of those that callers name in {@code models}. Thread-safe.
 */
final class Targets {
  /**
   * Targets named by callers that are remembered; further ones get a new, closed circuit each time.
   */
  private static final int MAX_CALLER_NAMED = 1000;

  private final Clock clock;
  private final Map<String, Target> configured = new LinkedHashMap<>();
  private final Map<String, Target> namedByCallers = new ConcurrentHashMap<>();

  Targets(Clock clock) {
    this.clock = clock;
  }

  /** Returns the target of a configured route; only called while the node starts. */
  Target configured(Provider provider, String model) {
    return configured.computeIfAbsent(
        Target.name(provider, model), name -> target(name, provider, model));
  }

  /** Returns the target that a caller named. */
  Target named(Provider provider, String model) {
    String name = Target.name(provider, model);
    Target known = find(name);
    if (known != null) {
      return known;
    }
    return namedByCallers.size() < MAX_CALLER_NAMED
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

  /**
   * Returns the target of a provider.
   *
   * @param model as it is sent upstream
   * @throws ApiException 404 if no route has it
   */
  Target require(String provider, String model) {
    Target target = find(provider + "/" + model);
    if (target == null) {
      // The provider's model names contain the prefix themselves.
      target = find(model);
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

  /** The targets of the configuration. */
  List<Target> configured() {
    return List.copyOf(configured.values());
  }

  /** All targets, including those that callers named. */
  List<Target> all() {
    List<Target> all = new ArrayList<>(configured.values());
    all.addAll(namedByCallers.values());
    return all;
  }
}
