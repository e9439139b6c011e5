package io.memorygateway.proxy.route;

import static java.util.Objects.requireNonNull;

import io.dropwizard.util.Duration;
import io.memorygateway.json.Characters;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The configured routes by name (contract §10). */
public final class RouteTable {
  private final Map<String, Entry> entries = new LinkedHashMap<>();

  /**
   * A route with the endpoints that all of its targets serve.
   *
   * @param endpoints in the order of the enumeration
   */
  record Entry(String name, Route route, Set<Endpoint> endpoints) {}

  /**
   * @throws IllegalArgumentException with a one-line message for the operator, if they do not match
   *     the providers
   */
  RouteTable(
      Map<String, RouteConfiguration> configured,
      Map<String, Provider> providers,
      Targets targets) {
    Map<String, ProviderConfiguration> known = new LinkedHashMap<>();
    providers.forEach((name, provider) -> known.put(name, provider.configuration()));
    check(configured, known);
    configured.forEach(
        (name, route) ->
            entries.put(
                name,
                new Entry(name, route(route, providers, targets), commonEndpoints(route, known))));
  }

  private static Route route(
      RouteConfiguration configured, Map<String, Provider> providers, Targets targets) {
    List<List<Route.Choice>> groups = new ArrayList<>();
    for (List<RouteConfiguration.Choice> group : configured.groups()) {
      groups.add(
          group.stream()
              .map(
                  choice -> {
                    Provider provider = requireNonNull(providers.get(providerOf(choice.to())));
                    String model = upstreamModel(provider.configuration(), choice.to());
                    Integer window = choice.window();
                    return new Route.Choice(
                        targets.configured(provider, model),
                        choice.weight(),
                        window == null ? 0 : window);
                  })
              .toList());
    }
    Duration timeout = configured.timeout();
    return new Route(
        groups,
        configured.attempts(),
        timeout == null ? Route.NO_TIMEOUT : timeout.toMilliseconds(),
        false);
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /** The route of this name; null if there is none. */
  @Nullable Entry find(String name) {
    return entries.get(name);
  }

  /** The most tokens that targets, and the largest of each route, are said to read, by name. */
  Map<String, Integer> windows() {
    Map<String, Integer> windows = new HashMap<>();
    entries.forEach(
        (name, entry) ->
            entry
                .route()
                .choices()
                .forEach(
                    choice -> {
                      windows.merge(name, choice.window(), Math::max);
                      windows.merge(choice.target().name(), choice.window(), Math::max);
                    }));
    return windows;
  }

  /** The names of all routes, in the order of the configuration. */
  List<String> names() {
    return List.copyOf(entries.keySet());
  }

  /**
   * Checks the configuration of routes without creating clients.
   *
   * @throws IllegalArgumentException with a one-line message for the operator that names the key
   *     and the fault
   */
  public static void check(
      Map<String, RouteConfiguration> routes, Map<String, ProviderConfiguration> providers) {
    routes.forEach(
        (name, route) -> {
          String key = "routes." + name;
          require(route != null, key + ": groups is missing: it lists the targets");
          require(name.strip().equals(name), "routes: a name begins or ends with a blank");
          require(
              Characters.areShownName(name, ModelAliases.MAX_NAME_LENGTH),
              "routes: a name " + Characters.shownNameRule(ModelAliases.MAX_NAME_LENGTH));
          require(
              !name.startsWith(Router.OPTIONAL_PREFIX) && !providers.containsKey(providerOf(name)),
              key + ": the name begins as the models of a provider do");
          require(!route.groups().isEmpty(), key + ": groups is missing: it lists the targets");
          Set<String> seen = new HashSet<>();
          for (List<RouteConfiguration.Choice> group : route.groups()) {
            require(!group.isEmpty(), key + ": a group has no targets");
            group.forEach(choice -> check(key, choice, seen, providers));
          }
          require(
              !commonEndpoints(route, providers).isEmpty(),
              key + ": there is no endpoint that all of its targets serve");
        });
  }

  private static void check(
      String key,
      RouteConfiguration.Choice choice,
      Set<String> seen,
      Map<String, ProviderConfiguration> providers) {
    String to = choice.to();
    String name = providerOf(to);
    require(
        !name.isEmpty() && name.length() + 1 < to.length(),
        key + ": to must be provider/model, not '" + to + "'");
    ProviderConfiguration provider = providers.get(name);
    if (provider == null) {
      throw new IllegalArgumentException(
          "%s: there is no provider '%s'; there are %s"
              .formatted(key, name, String.join(", ", providers.keySet())));
    }
    require(
        provider.apiKey() != null || !provider.needsKey(),
        key + ": the provider '" + name + "' has no key");
    require(seen.add(to), key + ": '" + to + "' stands there twice");
  }

  private static void require(boolean good, String fault) {
    if (!good) {
      throw new IllegalArgumentException(fault);
    }
  }

  /** Describes each route in a line for the operator. */
  public static List<String> describe(
      Map<String, RouteConfiguration> routes, Map<String, ProviderConfiguration> providers) {
    return routes.entrySet().stream()
        .map(
            entry ->
                "route %s (%s): %s"
                    .formatted(
                        entry.getKey(),
                        commonEndpoints(entry.getValue(), providers).stream()
                            .map(Endpoint::configName)
                            .collect(Collectors.joining(", ")),
                        entry.getValue().groups().stream()
                            .map(RouteTable::describe)
                            .collect(Collectors.joining(", then "))))
        .toList();
  }

  private static String describe(List<RouteConfiguration.Choice> group) {
    int sum = group.stream().mapToInt(RouteConfiguration.Choice::weight).sum();
    return group.stream()
        .map(
            choice ->
                group.size() == 1
                    ? choice.to()
                    : choice.to() + " " + Math.round(100.0 * choice.weight() / sum) + " %")
        .collect(Collectors.joining(" or "));
  }

  private static Set<Endpoint> commonEndpoints(
      RouteConfiguration route, Map<String, ProviderConfiguration> providers) {
    Set<Endpoint> common = EnumSet.allOf(Endpoint.class);
    for (List<RouteConfiguration.Choice> group : route.groups()) {
      for (RouteConfiguration.Choice choice : group) {
        common.retainAll(requireNonNull(providers.get(providerOf(choice.to()))).answered());
      }
    }
    return common;
  }

  /** The part before the first slash; empty without one. */
  public static String providerOf(String name) {
    int slash = name.indexOf('/');
    return slash < 0 ? "" : name.substring(0, slash);
  }

  /** The model of a {@code provider/model} as it is sent upstream. */
  public static String upstreamModel(ProviderConfiguration provider, String name) {
    return provider.keepPrefix() ? name : name.substring(name.indexOf('/') + 1);
  }

  /** The paths of endpoints, for an error message. */
  public static String paths(Set<Endpoint> endpoints) {
    return endpoints.stream()
        .sorted(Comparator.naturalOrder())
        .map(Endpoint::gatewayPath)
        .collect(Collectors.joining(", "));
  }
}
