package io.memorygateway.proxy.own;

import static java.util.Objects.requireNonNull;

import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.Timestamps;
import io.memorygateway.proxy.call.ProviderHealth;
import io.memorygateway.proxy.call.ProviderKeyState;
import io.memorygateway.proxy.circuit.Circuit;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.proxy.route.Provider;
import io.memorygateway.proxy.route.ProviderConfiguration;
import io.memorygateway.proxy.route.Target;
import io.memorygateway.proxy.route.Targets;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Operators' view of the providers of this node, and operations on them.
 *
 * @param health by the name of the provider
 * @param routes their descriptions, one line each
 */
public record ProviderAdmin(
    List<Provider> providers,
    Map<String, ProviderHealth> health,
    Targets targets,
    List<String> routes) {
  /** In place of the API key that a call was made with. */
  private static final long GATEWAY = 0;

  public ProviderAdmin {
    providers = List.copyOf(providers);
    health = Map.copyOf(health);
    routes = List.copyOf(routes);
  }

  public List<ProviderState> list() {
    return providers.stream().map(this::state).toList();
  }

  private ProviderState state(Provider provider) {
    ProviderConfiguration configuration = provider.configuration();
    ProviderHealth providerHealth = requireNonNull(health.get(provider.name()));
    ProviderHealth.Recent recent = providerHealth.recent();
    return new ProviderState(
        provider.name(),
        configuration.endpoints().stream().sorted().map(Endpoint::configName).toList(),
        configuration.translated().map(Endpoint::configName).toList(),
        configuration.apiKey() != null,
        withoutUser(configuration.baseUrl()),
        configuration.listedModels(),
        new ProviderState.LastMinutes(recent.minutes(), recent.calls(), recent.failures()),
        Timestamps.formatOrNull(recent.lastSuccess()),
        Timestamps.formatOrNull(recent.lastFailure()),
        Timestamps.formatOrNull(providerHealth.key().refusedSince()),
        targets.configured().stream()
            .filter(target -> target.provider().name().equals(provider.name()))
            .map(CircuitState::of)
            .toList());
  }

  private static String withoutUser(String url) {
    String user = URI.create(url).getRawUserInfo();
    return user == null ? url : url.replace(user + "@", "");
  }

  /**
   * Makes a small call with the gateway's own key; returns within ten seconds.
   *
   * @param endpoint as in config.yml; null: any that the provider serves
   * @throws ApiException 404 if there is no such provider, 400 if it does not serve the endpoint
   */
  public TestCall test(String name, String model, @Nullable String endpoint) {
    Provider provider =
        providers.stream()
            .filter(known -> known.name().equals(name))
            .findFirst()
            .orElseThrow(() -> ApiException.notFound("There is no such provider."));
    if (!provider.isUsable(null)) {
      throw ApiException.conflict("The gateway has no key for this provider.");
    }
    Endpoint asked;
    try {
      asked = endpoint == null ? null : Endpoint.ofConfigName(endpoint);
    } catch (IllegalArgumentException e) {
      throw ApiException.invalidRequest("There is no such endpoint.");
    }
    TestCall call = ProviderTest.call(provider, model, asked);
    if (call.status() != null) {
      ProviderKeyState key = requireNonNull(health.get(name)).key();
      if (call.status() == 401 || call.status() == 402) {
        key.lookedUp(ProviderKeyState.LookUp.REFUSED);
      } else {
        key.answered(call.status(), GATEWAY);
      }
    }
    return call;
  }

  public record CircuitChange(CircuitState before, CircuitState after) {}

  /**
   * Opens a circuit until an operator closes it, or closes it.
   *
   * @param model of the target, as it is sent upstream
   * @throws ApiException 404 if no route has the target
   */
  public CircuitChange setCircuit(String provider, String model, boolean open) {
    Target target = targets.require(provider, model);
    Circuit circuit = requireNonNull(target.circuit());
    CircuitState before = CircuitState.of(target);
    if (open) {
      circuit.open();
    } else {
      circuit.close();
    }
    return new CircuitChange(before, CircuitState.of(target));
  }
}
