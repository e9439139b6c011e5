package io.memorygateway.proxy;

import io.memorygateway.auth.ProviderKey;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the provider that a model belongs to (contract §6). */
final class Router {
  private static final String OPTIONAL_PREFIX = "mastra/";

  private final Map<String, Provider> providers;
  private final Provider byDefault;

  /**
   * Routes among providers.
   *
   * @param defaultProvider name of the one that gets what no other claims
   */
  Router(Collection<Provider> providers, String defaultProvider) {
    this.providers = new LinkedHashMap<>();
    providers.forEach(provider -> this.providers.put(provider.name(), provider));
    Provider found = this.providers.get(defaultProvider);
    if (found == null) {
      throw new IllegalArgumentException(
          "defaultProvider: there is no provider of this name; there are "
              + String.join(", ", this.providers.keySet()));
    }
    this.byDefault = found;
  }

  /**
   * The target of a call.
   *
   * @param model the model's name as it goes upstream
   */
  record Route(Provider provider, String model) {}

  Collection<Provider> providers() {
    return providers.values();
  }

  /**
   * Routes a call.
   *
   * @param callersKey the caller's own provider key, if it brought one
   * @throws ApiException 400 that names what the provider does serve
   */
  Route route(Endpoint endpoint, String requestedModel, @Nullable ProviderKey callersKey) {
    String model = withoutOptionalPrefix(requestedModel);
    Route wanted = wanted(model);
    if (wanted.model().isBlank() || model.endsWith("/")) {
      throw new ApiException(ApiError.invalidRequest("model must name a model."));
    }
    Provider provider = wanted.provider();
    if (provider.isUsable(callersKey)) {
      if (provider.serves(endpoint)) {
        return wanted;
      }
      throw refused(provider, endpoint);
    }
    if (byDefault.isUsable(callersKey) && byDefault.serves(endpoint)) {
      return new Route(byDefault, model);
    }
    if (!provider.serves(endpoint)) {
      throw refused(provider, endpoint);
    }
    throw new ApiException(
        ApiError.invalidRequest(
            "No key is configured for the provider '%s', and the default provider cannot take its place."
                .formatted(provider.name())));
  }

  /**
   * A model that the configuration knows.
   *
   * @param id by which the model is called
   */
  record KnownModel(String id, Provider provider) {}

  /** The model of this name, with or without its provider; null if the configuration has none. */
  @Nullable KnownModel known(String requestedName) {
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

  private static String withoutOptionalPrefix(String model) {
    return model.startsWith(OPTIONAL_PREFIX) ? model.substring(OPTIONAL_PREFIX.length()) : model;
  }

  private Route wanted(String model) {
    int slash = model.indexOf('/');
    Provider named = slash < 0 ? null : providers.get(model.substring(0, slash));
    if (named != null) {
      boolean whole = named.configuration().keepPrefix();
      return new Route(named, whole ? model : model.substring(slash + 1));
    }
    if (slash < 0) {
      for (Provider provider : providers.values()) {
        if (provider.configuration().ownsUnprefixed(model)) {
          return new Route(provider, model);
        }
      }
    }
    return new Route(byDefault, model);
  }

  private static ApiException refused(Provider provider, Endpoint endpoint) {
    String served =
        provider.configuration().endpoints().stream()
            .sorted(Comparator.naturalOrder())
            .map(Endpoint::gatewayPath)
            .collect(Collectors.joining(", "));
    return new ApiException(
        ApiError.invalidRequest(
            "The provider '%s' does not serve %s; it serves %s."
                .formatted(provider.name(), endpoint.gatewayPath(), served)));
  }
}
