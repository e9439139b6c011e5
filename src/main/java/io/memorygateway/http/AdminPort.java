package io.memorygateway.http;

import io.dropwizard.core.server.DefaultServerFactory;
import io.dropwizard.core.server.ServerFactory;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.jetty.HttpConnectorFactory;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.eclipse.jetty.server.handler.SizeLimitHandler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wires what protects the admin port, which has health, metrics and tasks and asks for no key. */
public final class AdminPort {
  private static final Logger LOGGER = LoggerFactory.getLogger(AdminPort.class);

  /** Parameters of tasks; the longest are some names of 255 characters. */
  private static final int LARGEST_BODY = 64 * 1024;

  private AdminPort() {}

  /** Installs itself; to be called before the server is built. */
  public static void install(
      AdminConfiguration configuration,
      ServerFactory serverFactory,
      PrometheusRegistry registry,
      Environment environment) {
    var context = environment.getAdminContext();
    // A profile keeps a processor busy for as long as its caller asks; the JVM's own tools do
    // better.
    context.setInitParameter("cpu-profile-enabled", "false");
    context.insertHandler(
        new AdminGuard(
            new AdminHosts(configuration.getAllowedHosts()),
            Counter.builder()
                .name("memory_gateway_admin_refused_total")
                .help("Requests to the admin port for a foreign host, or from a foreign site.")
                .labelNames("reason")
                .register(registry)));
    context.insertHandler(new SizeLimitHandler(LARGEST_BODY, -1));
    if (serverFactory instanceof DefaultServerFactory factory) {
      factory.getAdminConnectors().stream()
          .filter(HttpConnectorFactory.class::isInstance)
          .map(connector -> ((HttpConnectorFactory) connector).getBindHost())
          .filter(host -> !isLoopback(host))
          .forEach(AdminPort::warn);
    }
  }

  private static void warn(@Nullable String host) {
    LOGGER.warn(
        "The admin port is bound to {}: whoever reaches it can issue keys, so a firewall has to"
            + " keep everybody else out",
        host == null ? "every address" : host);
  }

  private static boolean isLoopback(@Nullable String host) {
    try {
      return host != null && InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
