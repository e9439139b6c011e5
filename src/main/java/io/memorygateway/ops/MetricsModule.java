package io.memorygateway.ops;

import static com.google.common.base.Preconditions.checkArgument;

import io.dropwizard.core.setup.Environment;
import io.dropwizard.metrics.common.MetricsFactory;
import io.prometheus.metrics.exporter.servlet.jakarta.PrometheusMetricsServlet;
import io.prometheus.metrics.instrumentation.dropwizard.DropwizardExports;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Wires {@code /metrics} on the admin port, in Prometheus' format, which replaces Dropwizard's
 * JSON.
 */
public final class MetricsModule {
  private MetricsModule() {}

  /**
   * Checks how often metrics are reported; the server would find it at its start alone, without a
   * word.
   *
   * @throws IllegalArgumentException with the key below {@code metrics:} and the fault
   */
  public static void check(@Nullable MetricsFactory configured) {
    boolean never =
        configured != null
            && (configured.getFrequency().toNanoseconds() <= 0
                || configured.getReporters().stream()
                    .flatMap(reporter -> reporter.getFrequency().stream())
                    .anyMatch(frequency -> frequency.toNanoseconds() <= 0));
    checkArgument(!never, "a frequency must be more than 0");
  }

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
