package io.memorygateway.access;

import io.dropwizard.core.setup.Environment;
import io.memorygateway.ops.HealthModule;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.InstantSource;

/** Wires the access log and the metrics of requests. */
public final class AccessModule {
  private AccessModule() {}

  /** Installs both; to be called before the server is built. */
  public static void install(
      PrometheusRegistry registry, InstantSource clock, Environment environment) {
    AccessLog log = new AccessLog(registry);
    environment.lifecycle().manage(log);
    environment
        .lifecycle()
        .addEventListener(
            new RequestEnd(log, new HttpMetrics(registry), clock, HealthModule.PROBE_PATH));
    environment.jersey().register(new MatchedEndpoint());
  }
}
