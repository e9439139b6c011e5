package io.memorygateway.ops;

import io.dropwizard.core.setup.Environment;
import io.prometheus.metrics.exporter.servlet.jakarta.PrometheusMetricsServlet;
import io.prometheus.metrics.instrumentation.dropwizard.DropwizardExports;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/**
 * Wires {@code /metrics} on the admin port, in Prometheus' format, which replaces Dropwizard's
 * JSON.
 */
public final class MetricsModule {
  private MetricsModule() {}

  /** Creates the registry for the metrics of all features, with those of Dropwizard and the JVM. */
  public static PrometheusRegistry install(Environment environment) {
    PrometheusRegistry registry = new PrometheusRegistry();
    DropwizardExports.builder().dropwizardRegistry(environment.metrics()).register(registry);
    JvmMetrics.builder().register(registry);
    environment
        .admin()
        .addServlet("prometheus", new PrometheusMetricsServlet(registry))
        .addMapping("/metrics");
    return registry;
  }
}
