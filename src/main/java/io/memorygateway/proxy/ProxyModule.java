package io.memorygateway.proxy;

import static com.google.common.base.Preconditions.checkArgument;

import io.dropwizard.core.setup.Environment;
import io.memorygateway.concurrent.CallerShares;
import io.memorygateway.concurrent.CallerShares.Full;
import io.memorygateway.concurrent.LiveWork;
import io.memorygateway.embedding.EmbeddingClient;
import io.memorygateway.http.setup.DirectFilter;
import io.memorygateway.json.Characters;
import io.memorygateway.observation.text.ModelClient;
import io.memorygateway.operator.AdminTaskServlet;
import io.memorygateway.price.Prices;
import io.memorygateway.proxy.call.CallBudgets;
import io.memorygateway.proxy.call.CallMeasurements;
import io.memorygateway.proxy.call.LlmProxy;
import io.memorygateway.proxy.call.LlmResource;
import io.memorygateway.proxy.call.ModelsResource;
import io.memorygateway.proxy.call.PassThrough;
import io.memorygateway.proxy.call.PassThroughResource;
import io.memorygateway.proxy.call.ProviderHealth;
import io.memorygateway.proxy.call.ProviderModels;
import io.memorygateway.proxy.call.ProxyMetrics;
import io.memorygateway.proxy.call.Refusals;
import io.memorygateway.proxy.count.TokenEstimates;
import io.memorygateway.proxy.own.CircuitTask;
import io.memorygateway.proxy.own.CircuitsHealth;
import io.memorygateway.proxy.own.ProviderAdmin;
import io.memorygateway.proxy.own.ProviderEmbeddings;
import io.memorygateway.proxy.own.ProviderKeyLookUps;
import io.memorygateway.proxy.own.ProviderModelClient;
import io.memorygateway.proxy.own.ProviderProbe;
import io.memorygateway.proxy.route.ModelAliases;
import io.memorygateway.proxy.route.Provider;
import io.memorygateway.proxy.route.ProviderConfiguration;
import io.memorygateway.proxy.route.RouteConfiguration;
import io.memorygateway.proxy.route.RouteTable;
import io.memorygateway.proxy.route.Router;
import io.memorygateway.proxy.route.Targets;
import io.memorygateway.proxy.upstream.OutboundProxy;
import io.memorygateway.proxy.upstream.Upstream;
import io.memorygateway.tracing.Tracing;
import io.memorygateway.turn.Turns;
import io.memorygateway.usage.LoggedCall;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Wires the proxy. */
public final class ProxyModule {
  /** The request log stores it. */
  private static final int MAX_NAME_LENGTH = 64;

  /** What is known of a provider's health is of this node alone, whatever time the database has. */
  private static final Clock OWN = Clock.systemUTC();

  private ProxyModule() {}

  /**
   * Checks all configuration that names models of providers.
   *
   * @param embeddingModel null if none is configured
   * @throws IllegalArgumentException with a one-line message for the operator, if a model or route
   *     does not match the providers
   */
  public static void checkModels(
      Map<String, RouteConfiguration> routes,
      @Nullable String embeddingModel,
      Map<String, ProviderConfiguration> providers) {
    Map<String, String> owners = new HashMap<>();
    providers.forEach(
        (name, provider) ->
            provider
                .unprefixedModels()
                .forEach(
                    pattern -> {
                      String other = owners.putIfAbsent(pattern, name);
                      checkArgument(
                          other == null || other.equals(name),
                          "providers.%s.unprefixedModels: '%s' is among those of %s already"
                              .formatted(name, pattern, other));
                    }));
    RouteTable.check(routes, providers);
    if (embeddingModel != null) {
      ProviderEmbeddings.check(embeddingModel, providers);
    }
  }

  /**
   * Checks all configuration that names models of providers, and describes it to the operator.
   *
   * @param embeddingModel null if none is configured
   * @param variables of the environment, which may name proxies
   * @return a line for each route, for the embedding model, and for each provider and proxy
   * @throws IllegalArgumentException with a one-line message for the operator, if a model or route
   *     does not match the providers
   */
  public static List<String> describeModels(
      Map<String, RouteConfiguration> routes,
      @Nullable String embeddingModel,
      Map<String, ProviderConfiguration> providers,
      Map<String, String> variables) {
    checkModels(routes, embeddingModel, providers);
    List<String> lines = new ArrayList<>(RouteTable.describe(routes, providers));
    if (embeddingModel != null) {
      lines.add("search by words and meaning: " + embeddingModel);
    }
    providers.forEach(
        (name, provider) -> {
          lines.add("provider " + name + ": " + provider.describeEndpoints());
          OutboundProxy proxy = provider.way(variables).proxy();
          if (proxy != null) {
            lines.add("provider " + name + ": by the proxy " + proxy);
          }
        });
    return lines;
  }

  /**
   * Asks the providers what they answer.
   *
   * @param tokens whether calls that cost a token are made
   * @param variables of the environment, which may name proxies
   * @return lines for the operator
   */
  public static List<String> askProviders(
      Map<String, ProviderConfiguration> configured,
      boolean tokens,
      Map<String, String> variables) {
    Clients clients = new Clients(configured.size(), Duration.ofSeconds(1), variables);
    List<String> lines = new ArrayList<>();
    try {
      clients.start();
      for (Map.Entry<String, ProviderConfiguration> entry : configured.entrySet()) {
        Upstream upstream = clients.of(entry.getValue());
        upstream.start();
        Provider provider = new Provider(entry.getKey(), entry.getValue(), upstream);
        lines.addAll(ProviderProbe.ask(provider, tokens));
        upstream.stop();
      }
      clients.stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      throw new IllegalStateException("the providers cannot be asked", e);
    }
    return lines;
  }

  /**
   * What the proxy offers to other packages.
   *
   * @param models calls models for the gateway itself
   * @param embeddings calls embedding models for the gateway itself
   * @param admin operators' view of the providers
   * @param calls handlers of the model endpoints, by path
   */
  public record Installed(
      ModelClient models,
      EmbeddingClient embeddings,
      ProviderAdmin admin,
      Map<String, DirectFilter.Handler> calls) {}

  /**
   * Installs the endpoints.
   *
   * @param configured the providers by name
   * @param routes by name
   * @param aliases other names of models and routes
   * @param variables of the environment, which may name proxies on the way to providers
   * @param maxWait longest wait of a call for a connection to its provider
   * @param observerModel model of the observer; null for none
   * @param budgets that cover calls
   * @param callLog receives every call at its end
   * @param prices of the models
   * @param costComment whether streams tell what they cost
   * @param live list of the running calls
   * @throws IllegalArgumentException with a one-line message for the operator, if the configuration
   *     is inconsistent
   */
  public static Installed install(
      Map<String, ProviderConfiguration> configured,
      String defaultProvider,
      Map<String, RouteConfiguration> routes,
      Map<String, String> aliases,
      Map<String, String> variables,
      Duration maxWait,
      @Nullable String observerModel,
      Turns turns,
      CallBudgets budgets,
      PrometheusRegistry registry,
      Consumer<LoggedCall> callLog,
      Prices prices,
      boolean costComment,
      LiveWork live,
      Clock clock,
      Tracing tracing,
      Environment environment) {
    Clients clients = new Clients(configured.size(), maxWait, variables);
    environment.lifecycle().manage(clients);

    List<Provider> providers = new ArrayList<>();
    Map<String, ProviderHealth> health = new HashMap<>();
    configured.forEach(
        (name, configuration) -> {
          checkArgument(
              Characters.areShownName(name, MAX_NAME_LENGTH) && name.indexOf('/') < 0,
              "providers: the name of a provider has no slash, and %s",
              Characters.shownNameRule(MAX_NAME_LENGTH));
          Upstream upstream = clients.of(configuration);
          environment.lifecycle().manage(upstream);
          providers.add(new Provider(name, configuration, upstream));
          ProviderHealth providerHealth = new ProviderHealth(OWN);
          environment.healthChecks().register("provider-" + name, providerHealth);
          health.put(name, providerHealth);
        });
    Targets targets = new Targets(OWN);
    Router router =
        new Router(providers, defaultProvider, routes, new ModelAliases(aliases), targets);
    environment.healthChecks().register("circuits", new CircuitsHealth(targets));
    CircuitsHealth.register(targets, registry);
    AdminTaskServlet.register(environment, new CircuitTask(targets));
    registerKeys(health, registry);
    environment.lifecycle().manage(new ProviderKeyLookUps(providers, health));
    registerConnections(providers, registry);
    TokenEstimates estimates = new TokenEstimates();
    environment.lifecycle().manage(estimates);
    CallMeasurements measurements =
        new CallMeasurements(
            new ProxyMetrics(registry),
            callLog,
            health,
            estimates,
            prices,
            costComment,
            clock,
            tracing);
    environment
        .jersey()
        .register(new PassThroughResource(new PassThrough(router, budgets, measurements, live)));
    LlmProxy proxy =
        new LlmProxy(
            router,
            turns,
            budgets,
            measurements,
            live,
            new Refusals(),
            bound -> ThreadLocalRandom.current().nextInt(bound));
    LlmResource resource = new LlmResource(proxy, turns.sessions());
    environment.jersey().register(resource);
    ProviderModels listed = new ProviderModels(router, System::nanoTime);
    environment.lifecycle().manage(listed);
    environment.jersey().register(new ModelsResource(router, listed));
    ProviderModelClient models = new ProviderModelClient(router, tracing);
    checkArgument(
        observerModel == null || models.serves(observerModel),
        "observation.model: no provider that has a key serves this model");
    return new Installed(
        models,
        new ProviderEmbeddings(router, tracing),
        new ProviderAdmin(providers, health, targets, RouteTable.describe(routes, configured)),
        resource.direct());
  }

  private static void registerConnections(List<Provider> providers, PrometheusRegistry registry) {
    GaugeWithCallback.builder()
        .name("memory_gateway_llm_connections")
        .help("Calls that hold a connection to a provider, that wait for one, and the most.")
        .labelNames("provider", "state")
        .callback(
            gauge -> {
              for (Provider provider : providers) {
                CallerShares shares = provider.upstream().shares();
                gauge.call(shares.held(), provider.name(), "held");
                gauge.call(shares.waiting(), provider.name(), "waiting");
                gauge.call(shares.total(), provider.name(), "max");
              }
            })
        .register(registry);
    CounterWithCallback.builder()
        .name("memory_gateway_llm_connections_refused_total")
        .help("Attempts that found no connection in time, by whose share was used up.")
        .labelNames("provider", "because_of")
        .callback(
            counter -> {
              for (Provider provider : providers) {
                CallerShares shares = provider.upstream().shares();
                counter.call((double) shares.refused(Full.KEY), provider.name(), "key");
                counter.call((double) shares.refused(Full.PROJECT), provider.name(), "project");
                counter.call((double) shares.refused(Full.ALL), provider.name(), "provider");
              }
            })
        .register(registry);
  }

  private static void registerKeys(
      Map<String, ProviderHealth> health, PrometheusRegistry registry) {
    GaugeWithCallback.builder()
        .name("memory_gateway_provider_key_refused")
        .help(
            "1 while the provider refuses the gateway's own key (401, 402, 403), not only for one"
                + " model.")
        .labelNames("provider")
        .callback(
            gauge ->
                health.forEach(
                    (name, provider) ->
                        gauge.call(provider.key().refusedSince() == null ? 0 : 1, name)))
        .register(registry);
  }
}
