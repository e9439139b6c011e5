package io.memorygateway.ops;

import com.codahale.metrics.health.HealthCheck;
import io.dropwizard.core.server.DefaultServerFactory;
import io.dropwizard.core.server.ServerFactory;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.jetty.HttpConnectorFactory;
import io.memorygateway.concurrent.LiveWork;
import io.memorygateway.operator.AdminTaskServlet;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import jakarta.servlet.DispatcherType;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Optional;

/** Wires how a node leaves: on the signal TERM, or prepared by the task {@code drain}. */
public final class DrainModule {
  private DrainModule() {}

  /** Installs draining and the orderly stop; to be called before the server is built. */
  public static void install(
      ShutdownConfiguration configuration,
      ServerFactory serverFactory,
      LiveWork calls,
      PrometheusRegistry registry,
      Environment environment) {
    // It is of this node alone, whatever time the database has.
    InstantSource clock = InstantSource.system();
    Drain drain = new Drain(clock);
    OrderlyStop stop = new OrderlyStop(configuration, drain, calls, clock);
    environment.lifecycle().addServerLifecycleListener(stop);
    DrainHandler handler = new DrainHandler(drain);
    environment.getApplicationContext().insertHandler(handler);
    environment
        .servlets()
        .addFilter("draining", handler::answerProbe)
        .addMappingForUrlPatterns(
            EnumSet.of(DispatcherType.REQUEST), true, HealthModule.PROBE_PATH);
    AdminTaskServlet.register(environment, new DrainTask(drain, stop::connections));
    environment
        .healthChecks()
        .register(
            "draining",
            new HealthCheck() {
              @Override
              protected Result check() {
                return drain.isOn()
                    ? Result.unhealthy("draining since " + drain.since())
                    : Result.healthy("no");
              }
            });
    GaugeWithCallback.builder()
        .name("memory_gateway_draining")
        .help("1 while this node drains: load balancers are told that it is not ready.")
        .callback(gauge -> gauge.call(drain.isOn() ? 1 : 0))
        .register(registry);
    acceptOnSelectors(serverFactory);
  }

  /**
   * Makes connectors accept on selectors: without a thread that is blocked in accepting, the port
   * can be closed between two connections.
   */
  private static void acceptOnSelectors(ServerFactory serverFactory) {
    if (serverFactory instanceof DefaultServerFactory factory) {
      factory.getApplicationConnectors().stream()
          .filter(HttpConnectorFactory.class::isInstance)
          .map(HttpConnectorFactory.class::cast)
          .filter(connector -> connector.getAcceptorThreads().isEmpty())
          .forEach(connector -> connector.setAcceptorThreads(Optional.of(0)));
    }
  }
}
