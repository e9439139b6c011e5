package io.memorygateway.proxy.route;

import static java.util.Objects.requireNonNull;

import io.memorygateway.auth.ProviderKey;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.http.errors.ApiException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the targets that a call may be sent to (contract §6, §10). */
public final class Router {
  static final String OPTIONAL_PREFIX = "mastra/";

  private final Map<String, Provider> providers;
  private final Provider byDefault;
  private final Targets targets;
  private final RouteTable routes;
  private final Map<String, Integer> windows;
  private final ModelAliases aliases;

  /**
   * Creates a router among providers.
   *
   * @param defaultProvider name of the provider of all models that no other claims
   * @param configured routes by name
   * @param aliases of models and routes
   * @throws IllegalArgumentException with a one-line message for the operator, if the configuration
   *     is inconsistent
   */
  public Router(
      Collection<Provider> providers,
      String defaultProvider,
      Map<String, RouteConfiguration> configured,
      ModelAliases aliases,
      Targets targets) {
    this.providers = new LinkedHashMap<>();
    providers.forEach(provider -> this.providers.put(provider.name(), provider));
    Provider found = this.providers.get(defaultProvider);
    if (found == null) {
      throw new IllegalArgumentException(
          "defaultProvider: there is no provider of this name; there are "
              + String.join(", ", this.providers.keySet()));
    }
    this.byDefault = found;
    this.targets = targets;
    this.routes = new RouteTable(configured, this.providers, targets);
    this.windows = routes.windows();
    this.aliases = aliases;
    aliases
        .all()
        .forEach(
            (name, target) -> {
              String provider = RouteTable.providerOf(target);
              boolean known =
                  routes.find(target) != null
                      || (this.providers.containsKey(provider)
                          && provider.length() + 1 < target.length());
              if (!known) {
                throw new IllegalArgumentException(
                    "modelAliases.%s: '%s' is neither a route nor a provider/model"
                        .formatted(name, target));
              }
            });
  }

  /**
   * A provider and one of its models.
   *
   * @param model name as it is sent upstream
   */
  record ProviderModel(Provider provider, String model) {}

  /**
   * The route of one call, and the body to send.
   *
   * @param body without the {@code models} that the gateway itself follows
   * @param alias by which the call asks for its model; null if it names it itself
   */
  public record RoutedCall(Route route, RequestBody body, @Nullable String alias) {
    public RoutedCall withBody(RequestBody other) {
      return new RoutedCall(route, other, alias);
    }
  }

  /** The names of the routes, and of other names that are listed as they are. */
  public List<String> routes() {
    return Stream.concat(routes.names().stream(), aliases.names().stream()).distinct().toList();
  }

  /**
   * Routes a call.
   *
   * @param project of the caller
   * @param callersKey the caller's own provider key; such a call has a single target. Null if it
   *     sent none
   * @param fallback whether the caller allows more than one target
   * @throws ApiException 400 that names the endpoints that the provider or route serves
   */
  public RoutedCall route(
      Endpoint endpoint,
      RequestBody body,
      long project,
      @Nullable ProviderKey callersKey,
      boolean fallback) {
    String model = unaliased(body.model());
    String alias = model.equals(body.model()) ? null : withoutOptionalPrefix(body.model());
    List<String> models = endpoint.takesModels() ? body.models() : null;
    RouteTable.Entry named = routes.isEmpty() ? null : routes.find(withoutOptionalPrefix(model));
    if (named == null && models == null) {
      return new RoutedCall(Route.only(target(endpoint, model, callersKey)), body, alias);
    }
    Route route;
    RequestBody routed = body;
    if (models == null) {
      route = routeOf(endpoint, requireNonNull(named));
    } else {
      ProviderModel first = named == null ? resolve(endpoint, model, callersKey) : null;
      if (first != null && first.provider().configuration().keepPrefix()) {
        // The provider is a gateway itself and follows the list.
        return new RoutedCall(
            Route.only(Target.only(first.provider(), first.model())), body, alias);
      }
      route = ofModels(endpoint, model, models, project, callersKey);
      routed = body.withoutModels();
    }
    if (callersKey != null) {
      return new RoutedCall(route.withFirstTargetOnly(), routed, alias);
    }
    return new RoutedCall(fallback ? route : route.withoutFallback(), routed, alias);
  }

  /**
   * Whether a call that counts tokens is to be answered by the gateway: the target answers the
   * calls that it counts, and counts none.
   */
  public boolean isCountedHere(
      Endpoint endpoint, RequestBody body, @Nullable ProviderKey callersKey) {
    Endpoint counted = endpoint.counted();
    if (counted == null) {
      return false;
    }
    String model = withoutOptionalPrefix(unaliased(body.model()));
    RouteTable.Entry named = routes.find(model);
    if (named != null) {
      return !named.endpoints().contains(endpoint) && named.endpoints().contains(counted);
    }
    Provider called = called(model, callersKey).provider();
    return !called.serves(endpoint) && called.endpointFor(counted) != null;
  }

  /**
   * The name by which scopes of keys know what a caller asks for: that of the route, or the {@code
   * provider/model} that it would be sent to.
   */
  String canonical(String asked, @Nullable ProviderKey callersKey) {
    String name = withoutOptionalPrefix(unaliased(asked));
    if (routes.find(name) != null) {
      return name;
    }
    ProviderModel called = called(name, callersKey);
    return Target.name(called.provider(), called.model());
  }

  /**
   * The same of all that a call names.
   *
   * @param followed names that its targets follow themselves
   */
  List<String> canonical(
      Endpoint endpoint,
      RequestBody body,
      List<String> followed,
      @Nullable ProviderKey callersKey) {
    List<String> names = new ArrayList<>();
    names.add(canonical(body.model(), callersKey));
    List<String> models = body.models();
    if (models != null) {
      String first = withoutOptionalPrefix(unaliased(body.model()));
      Provider called = called(first, callersKey).provider();
      boolean follows =
          routes.find(first) == null
              && (called.configuration().keepPrefix() || !endpoint.takesModels());
      models.forEach(
          each -> names.add(follows ? Target.name(called, each) : canonical(each, callersKey)));
    }
    if (!followed.isEmpty()) {
      Stream.concat(Stream.of(body.model()), Stream.ofNullable(models).flatMap(List::stream))
          .flatMap(asked -> askedBy(asked, callersKey))
          .filter(each -> each.serves(endpoint)) // to others the call is translated without them
          .distinct()
          .forEach(each -> followed.forEach(name -> names.add(Target.name(each, name))));
    }
    return names;
  }

  /** Whom a call by this name may be sent to. */
  private Stream<Provider> askedBy(String asked, @Nullable ProviderKey callersKey) {
    String name = withoutOptionalPrefix(unaliased(asked));
    RouteTable.Entry named = routes.find(name);
    return named == null
        ? Stream.of(called(name, callersKey).provider())
        : named.route().providers();
  }

  private static Route routeOf(Endpoint endpoint, RouteTable.Entry named) {
    if (!named.endpoints().contains(endpoint)) {
      throw ApiException.invalidRequest(
          "This route does not serve %s; it serves %s."
              .formatted(endpoint.gatewayPath(), RouteTable.paths(named.endpoints())));
    }
    return named.route();
  }

  private Route ofModels(
      Endpoint endpoint,
      String model,
      List<String> models,
      long project,
      @Nullable ProviderKey callersKey) {
    Set<String> names = new LinkedHashSet<>();
    names.add(model);
    names.addAll(models);
    Set<Target> seen = new HashSet<>();
    List<List<Route.Choice>> groups = new ArrayList<>();
    for (String asked : names) {
      String name = unaliased(asked);
      RouteTable.Entry named = routes.find(withoutOptionalPrefix(name));
      if (named == null) {
        ProviderModel resolved = resolve(endpoint, name, callersKey);
        Target target = targets.named(project, resolved.provider(), resolved.model());
        if (seen.add(target)) {
          groups.add(List.of(new Route.Choice(target, 1, 0)));
        }
      } else {
        for (List<Route.Choice> group : routeOf(endpoint, named).groups()) {
          List<Route.Choice> unseen =
              group.stream().filter(choice -> seen.add(choice.target())).toList();
          if (!unseen.isEmpty()) {
            groups.add(unseen);
          }
        }
      }
    }
    return new Route(groups, RouteConfiguration.DEFAULT_ATTEMPTS, Route.NO_TIMEOUT, false);
  }

  /** The only target of a call that names no route. */
  public Target target(Endpoint endpoint, String model, @Nullable ProviderKey callersKey) {
    ProviderModel resolved = resolve(endpoint, model, callersKey);
    return Target.only(resolved.provider(), resolved.model());
  }

  public Collection<Provider> providers() {
    return providers.values();
  }

  private ProviderModel resolve(
      Endpoint endpoint, String requestedModel, @Nullable ProviderKey callersKey) {
    String model = withoutOptionalPrefix(requestedModel);
    ProviderModel wanted = wanted(model);
    if (wanted.model().isBlank() || model.endsWith("/")) {
      throw ApiException.invalidRequest("model must name a model.");
    }
    Provider provider = wanted.provider();
    if (provider.isUsable(callersKey)) {
      if (provider.endpointFor(endpoint) != null) {
        return wanted;
      }
      throw refused(provider, endpoint);
    }
    if (byDefault.isUsable(callersKey) && byDefault.endpointFor(endpoint) != null) {
      return new ProviderModel(byDefault, model);
    }
    if (provider.endpointFor(endpoint) == null) {
      throw refused(provider, endpoint);
    }
    throw ApiException.invalidRequest(
        "No key is configured for the provider '%s', and the default provider cannot take its place."
            .formatted(provider.name()));
  }

  /**
   * A model of the configuration.
   *
   * @param id name by which callers request the model
   */
  public record KnownModel(String id, Provider provider) {}

  /**
   * The route of a call that is passed on as it is: to the provider that it names, else to that of
   * its model, else to the default provider or, if that does not serve it, the first that does.
   *
   * @param model empty if there is none
   * @throws ApiException 404 if the provider does not serve the endpoint
   */
  public Route passThrough(
      Endpoint endpoint, @Nullable String named, String model, @Nullable ProviderKey callersKey) {
    String name = withoutOptionalPrefix(model);
    Provider provider;
    if (named == null) {
      ProviderModel wanted = wanted(name);
      boolean claimed = wanted.provider() != byDefault || name.startsWith(byDefault.name() + "/");
      provider = claimed ? wanted.provider() : anyThatServes(endpoint, callersKey);
    } else {
      provider = providers.get(named);
    }
    if (provider == null || !provider.serves(endpoint)) {
      throw ApiException.notFound(
          "The provider that would be asked does not serve this path; x-gateway-provider names"
              + " another one.");
    }
    if (!provider.isUsable(callersKey)) {
      throw ApiException.invalidRequest(
          "No key is configured for the provider '%s'.".formatted(provider.name()));
    }
    boolean prefixed =
        !provider.configuration().keepPrefix() && name.startsWith(provider.name() + "/");
    String upstreamModel = prefixed ? name.substring(provider.name().length() + 1) : name;
    return Route.only(Target.only(provider, upstreamModel));
  }

  private @Nullable Provider anyThatServes(Endpoint endpoint, @Nullable ProviderKey callersKey) {
    return Stream.concat(Stream.of(byDefault), providers.values().stream())
        .filter(each -> each.serves(endpoint) && each.isUsable(callersKey))
        .findFirst()
        .orElse(null);
  }

  /**
   * The name by which callers request a model that a provider lists.
   *
   * @return null if the call would go elsewhere under that name
   */
  public @Nullable String nameOf(Provider provider, String model) {
    String name = provider.configuration().keepPrefix() ? model : provider.name() + "/" + model;
    Provider wanted = wanted(name).provider();
    return provider == (wanted.isUsable(null) ? wanted : byDefault) ? name : null;
  }

  /** The name of the requested route or alias; null if there is neither. */
  public @Nullable String routeName(String requestedName) {
    String name = withoutOptionalPrefix(requestedName);
    RouteTable.Entry named = routes.find(name);
    return named != null ? named.name() : aliases.find(name) == null ? null : name;
  }

  /** The most tokens that a model, or a target of a route, is said to read; 0 if none is said. */
  public int window(String requestedName) {
    return windows.getOrDefault(canonical(requestedName, null), 0);
  }

  /** The model of this name, with or without its provider; null if the configuration has none. */
  public @Nullable KnownModel known(String requestedName) {
    String name = withoutOptionalPrefix(requestedName);
    int slash = name.indexOf('/');
    Provider named = slash < 0 ? null : providers.get(name.substring(0, slash));
    if (named != null && named.configuration().names(name.substring(slash + 1))) {
      return new KnownModel(name, named);
    }
    for (Provider provider : providers.values()) {
      if (slash < 0 && provider.configuration().ownsUnprefixed(name)) {
        return new KnownModel(name, provider);
      }
      if (provider.configuration().models().contains(name)) {
        return new KnownModel(provider.name() + "/" + name, provider);
      }
    }
    return null;
  }

  /** What a name stands for: that of its alias, or itself. */
  public String unaliased(String name) {
    String aliased = aliases.find(withoutOptionalPrefix(name));
    return aliased == null ? name : aliased;
  }

  private static String withoutOptionalPrefix(String model) {
    return model.startsWith(OPTIONAL_PREFIX) ? model.substring(OPTIONAL_PREFIX.length()) : model;
  }

  private ProviderModel wanted(String model) {
    int slash = model.indexOf('/');
    Provider named = slash < 0 ? null : providers.get(model.substring(0, slash));
    if (named != null) {
      boolean whole = named.configuration().keepPrefix();
      return new ProviderModel(named, whole ? model : model.substring(slash + 1));
    }
    if (slash < 0) {
      for (Provider provider : providers.values()) {
        if (provider.configuration().ownsUnprefixed(model)) {
          return new ProviderModel(provider, model);
        }
      }
    }
    return new ProviderModel(byDefault, model);
  }

  /** What a name that is no route's is sent to, if that serves it. */
  private ProviderModel called(String name, @Nullable ProviderKey callersKey) {
    ProviderModel wanted = wanted(name);
    return wanted.provider().isUsable(callersKey) ? wanted : new ProviderModel(byDefault, name);
  }

  private static ApiException refused(Provider provider, Endpoint endpoint) {
    return ApiException.invalidRequest(
        "The provider '%s' does not serve %s; it serves %s."
            .formatted(
                provider.name(),
                endpoint.gatewayPath(),
                RouteTable.paths(provider.configuration().answered())));
  }
}
