package io.memorygateway.proxy;

import io.dropwizard.core.setup.Environment;
import io.memorygateway.concurrent.LiveWork;
import io.memorygateway.observation.ModelClient;
import io.memorygateway.operator.AdminTaskServlet;
import io.memorygateway.turn.Turns;
import io.memorygateway.usage.LoggedCall;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.jspecify.annotations.Nullable;

/** Wires the proxy. */
public final class ProxyModule {
  private ProxyModule() {}

  /**
   * Checks routes, and describes them to the operator.
   *
   * @return a line for each
   * @throws IllegalArgumentException with a line for the operator, if they do not fit the providers
   */
  public static List<String> describeRoutes(
      Map<String, RouteConfiguration> routes, Map<String, ProviderConfiguration> providers) {
    RouteTable.check(routes, providers);
    return RouteTable.describe(routes, providers);
  }

  /**
   * Installs the endpoints.
   *
   * @param configured the providers by name
   * @param routes by name
   * @param observerModel what the observer will ask; null for nothing
   * @param callLog gets every call when it is over
   * @param live lists the calls that are not over
   * @return asks models on behalf of the gateway itself
   * @throws IllegalArgumentException with a line for the operator, if they do not fit together
   */
  public static ModelClient install(
      Map<String, ProviderConfiguration> configured,
      String defaultProvider,
      Map<String, RouteConfiguration> routes,
      @Nullable String observerModel,
      Turns turns,
      PrometheusRegistry registry,
      Consumer<LoggedCall> callLog,
      LiveWork live,
      Clock clock,
      Environment environment) {
    // Shared by all providers: it only parses and hands over, the waiting is done by the requests'
    // own threads.
    QueuedThreadPool executor =
        new QueuedThreadPool(
            Math.max(8, 2 * Runtime.getRuntime().availableProcessors() + configured.size()));
    executor.setName("upstream");
    executor.setDaemon(true);
    ScheduledExecutorScheduler scheduler =
        new ScheduledExecutorScheduler("upstream-scheduler", true);
    environment.lifecycle().manage(executor);
    environment.lifecycle().manage(scheduler);
    StreamScheduler streams =
        new StreamScheduler(Runtime.getRuntime().availableProcessors(), System::nanoTime, registry);
    environment.lifecycle().manage(streams);

    List<Provider> providers = new ArrayList<>();
    Map<String, ProviderHealth> health = new HashMap<>();
    configured.forEach(
        (name, configuration) -> {
          if (name.isEmpty() || name.contains("/")) {
            throw new IllegalArgumentException(
                "providers: the name of a provider is not empty and has no slash");
          }
          Upstream upstream = new Upstream(configuration, executor, scheduler, streams);
          environment.lifecycle().manage(upstream);
          providers.add(new Provider(name, configuration, upstream));
          ProviderHealth lately = new ProviderHealth(clock);
          environment.healthChecks().register("provider-" + name, lately);
          health.put(name, lately);
        });
    Targets targets = new Targets(clock);
    Router router = new Router(providers, defaultProvider, routes, targets);
    environment.healthChecks().register("circuits", new CircuitsHealth(targets));
    CircuitsHealth.register(targets, registry);
    AdminTaskServlet.register(
        environment.admin(), new CircuitTask(targets), environment.getObjectMapper());
    registerKeys(health, registry);
    LlmProxy proxy =
        new LlmProxy(
            router,
            turns,
            new CallMeasurements(new ProxyMetrics(registry), callLog, health, clock),
            live,
            bound -> ThreadLocalRandom.current().nextInt(bound));
    environment.jersey().register(new LlmResource(proxy));
    environment.jersey().register(new ModelsResource(router));
    ProviderModelClient models = new ProviderModelClient(router);
    if (observerModel != null && !models.serves(observerModel)) {
      throw new IllegalArgumentException(
          "observation.model: no provider that has a key serves this model");
    }
    return models;
  }

  private static void registerKeys(
      Map<String, ProviderHealth> health, PrometheusRegistry registry) {
    Map<String, ProviderHealth> known = Map.copyOf(health);
    GaugeWithCallback.builder()
        .name("memory_gateway_provider_key_refused")
        .help("1 while the provider refuses the gateway's own key (401, 402, 403).")
        .labelNames("provider")
        .callback(
            gauge ->
                known.forEach(
                    (name, provider) ->
                        gauge.call(provider.keyRefusedSince() == null ? 0 : 1, name)))
        .register(registry);
  }
}
