package io.memorygateway.proxy.route;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.proxy.circuit.Circuit;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The targets of routes, each with its circuit and its calls in flight: those of the configuration,
 * and those that callers name in {@code models}. The latter are remembered for the project that
 * named them, a bounded number for a bounded time, and are shown to nobody. Thread-safe.
 */
public final class Targets {
  private static final int MAX_PROJECTS = 200;
  private static final int MAX_NAMED_BY_PROJECT = 100;

  /** Keys whose circuits are remembered for such a target. */
  private static final int MAX_KEYS_OF_NAMED = 10;

  private static final Duration REMEMBERED_FOR = Duration.ofMinutes(10);

  private final Clock clock;
  private final Map<String, Target> configured = new LinkedHashMap<>();
  private final Cache<Long, Cache<String, Target>> namedByCallers;

  public Targets(Clock clock) {
    this.clock = clock;
    this.namedByCallers = cache(MAX_PROJECTS);
  }

  /** What is used least goes when there is too much, and what is not used goes by and by. */
  private <K, V> Cache<K, V> cache(int size) {
    return Caffeine.newBuilder()
        .maximumSize(size)
        .expireAfterAccess(REMEMBERED_FOR)
        .ticker(() -> TimeUnit.MILLISECONDS.toNanos(clock.millis()))
        .executor(Runnable::run)
        .build();
  }

  /** Returns the target of a configured route; only called while the node starts. */
  public Target configured(Provider provider, String model) {
    return configured.computeIfAbsent(
        Target.name(provider, model), name -> new Target(provider, model, new Circuit(clock)));
  }

  /** Returns the target that a caller of this project named. */
  Target named(long project, Provider provider, String model) {
    String name = Target.name(provider, model);
    Target known = configured.get(name);
    return known == null
        ? namedByCallers
            .get(project, unknown -> cache(MAX_NAMED_BY_PROJECT))
            .get(
                name, unknown -> new Target(provider, model, new Circuit(clock, MAX_KEYS_OF_NAMED)))
        : known;
  }

  /**
   * Returns the target of a configured route.
   *
   * @param model as it is sent upstream
   * @throws ApiException 404 if no route has it
   */
  public Target require(String provider, String model) {
    // Of some providers, the names of models contain the prefix themselves.
    Target target = configured.getOrDefault(provider + "/" + model, configured.get(model));
    if (target == null || !target.provider().name().equals(provider)) {
      throw ApiException.notFound("No route has this target; without parameters all are shown.");
    }
    return target;
  }

  /** The targets of the configuration, the only ones that operators see. */
  public List<Target> configured() {
    return List.copyOf(configured.values());
  }
}
