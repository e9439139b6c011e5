package io.memorygateway.proxy;

import io.dropwizard.core.setup.Environment;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;

/** Wires the proxy. */
public final class ProxyModule {
  private ProxyModule() {}

  /**
   * Installs the endpoints.
   *
   * @param configured the providers by name
   * @throws IllegalArgumentException with a line for the operator, if they do not fit together
   */
  public static void install(
      Map<String, ProviderConfiguration> configured,
      String defaultProvider,
      PrometheusRegistry registry,
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

    List<Provider> providers = new ArrayList<>();
    configured.forEach(
        (name, configuration) -> {
          if (name.isEmpty() || name.contains("/")) {
            throw new IllegalArgumentException(
                "providers: the name of a provider is not empty and has no slash");
          }
          Upstream upstream = new Upstream(configuration, executor, scheduler);
          environment.lifecycle().manage(upstream);
          providers.add(new Provider(name, configuration, upstream));
        });
    Router router = new Router(providers, defaultProvider);
    LlmProxy proxy = new LlmProxy(router, new ProxyMetrics(registry));
    environment.jersey().register(new LlmResource(proxy));
    environment.jersey().register(new ModelsResource(router));
  }
}
