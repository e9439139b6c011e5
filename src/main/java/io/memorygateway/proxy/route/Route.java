package io.memorygateway.proxy.route;

import io.memorygateway.format.Format;
import java.util.List;
import java.util.stream.Stream;

/**
 * The targets that one call may be sent to, in order (contract §10).
 *
 * @param groups of targets; a group is used when those before it have failed
 * @param attempts that one call may take
 * @param timeoutMillis for all attempts together; {@link #NO_TIMEOUT} for none
 * @param isOnly whether the call itself named its only target
 */
public record Route(List<List<Choice>> groups, int attempts, long timeoutMillis, boolean isOnly) {
  public static final long NO_TIMEOUT = Long.MAX_VALUE;

  /**
   * A target with its settings in the route.
   *
   * @param window context window of its model in tokens; 0: unknown
   */
  public record Choice(Target target, int weight, int window) {}

  public Route {
    groups = List.copyOf(groups);
  }

  /** The route of a call that names its only target. */
  static Route only(Target target) {
    return new Route(List.of(List.of(new Choice(target, 1, 0))), 1, NO_TIMEOUT, true);
  }

  public Stream<Choice> choices() {
    return groups.stream().flatMap(List::stream);
  }

  public Stream<Provider> providers() {
    return choices().map(choice -> choice.target().provider());
  }

  /** The target that is named first, though another one may be tried before it. */
  public Target first() {
    return groups.get(0).get(0).target();
  }

  /** Whether any target answers calls of an endpoint itself, and not by translation. */
  public boolean serves(Endpoint endpoint) {
    return providers().anyMatch(provider -> provider.serves(endpoint));
  }

  /** The formats in which targets are sent calls of an endpoint. */
  public Stream<Format> formats(Endpoint called) {
    return providers().map(provider -> provider.formatFor(called));
  }

  public boolean keepsMessageThreads() {
    return providers().allMatch(provider -> provider.configuration().messageThreads());
  }

  /** The same route, with a single attempt at its first target. */
  Route withoutFallback() {
    return new Route(groups.subList(0, 1), 1, timeoutMillis, isOnly);
  }

  /**
   * The same route, with one fixed target and no choice among a group: a caller's own key belongs
   * to one provider and must not be sent to another.
   */
  Route withFirstTargetOnly() {
    return new Route(List.of(List.of(groups.get(0).get(0))), 1, timeoutMillis, isOnly);
  }

  /** Whether a failed attempt may be followed by another one. */
  public boolean allowsRetry() {
    return attempts > 1;
  }
}
