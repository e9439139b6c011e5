package io.memorygateway.http.admin;

import io.dropwizard.core.setup.Environment;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import org.eclipse.jetty.server.handler.SizeLimitHandler;

/**
 * Wires the protection of the admin port, which serves health, metrics and tasks, from browsers.
 */
public final class AdminPort {
  /**
   * Largest body in bytes: parameters of tasks, of which the longest are some names of 255
   * characters.
   */
  private static final int MAX_BODY_BYTES = 64 * 1024;

  private AdminPort() {}

  /**
   * Installs the guard in front of the existing handlers; to be called before the server is built.
   *
   * @param allowedHosts names that a request may give as its Host
   */
  public static void install(
      List<String> allowedHosts, PrometheusRegistry registry, Environment environment) {
    var context = environment.getAdminContext();
    // A profile keeps a processor busy for as long as its caller asks; the JVM's own tools do
    // better.
    context.setInitParameter("cpu-profile-enabled", "false");
    context.insertHandler(
        new AdminGuard(
            new AdminHosts(allowedHosts),
            Counter.builder()
                .name("memory_gateway_admin_refused_total")
                .help("Requests to the admin port for a foreign host, or from a foreign site.")
                .labelNames("reason")
                .register(registry)));
    context.insertHandler(new SizeLimitHandler(MAX_BODY_BYTES, -1));
  }
}
