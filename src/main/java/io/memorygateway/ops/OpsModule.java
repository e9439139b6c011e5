package io.memorygateway.ops;

import ch.qos.logback.classic.LoggerContext;
import io.dropwizard.core.server.ServerFactory;
import io.dropwizard.core.setup.Environment;
import io.memorygateway.concurrent.LiveWork;
import io.memorygateway.database.DatabaseModule;
import io.memorygateway.operator.AdminTaskServlet;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wires health checks, draining and the operators' tasks that belong to no feature. */
public final class OpsModule {
  private static final Logger LOGGER = LoggerFactory.getLogger(OpsModule.class);

  private OpsModule() {}

  /**
   * Installs them; to be called before the server is built, and after the other modules.
   *
   * @param requestLogKept how long the request log is kept
   * @param storageLimit {@code limits.storage} in bytes, if there is one
   * @param calls interrupted when the grace period is over
   */
  public static void install(
      ShutdownConfiguration shutdown,
      Duration requestLogKept,
      @Nullable Long storageLimit,
      ServerFactory serverFactory,
      LiveWork calls,
      DatabaseModule database,
      PrometheusRegistry registry,
      InstantSource clock,
      Environment environment) {
    HealthModule.install(database, registry, environment);
    DrainModule.install(shutdown, serverFactory, calls, registry, environment);
    AdminTaskServlet.register(environment, new PurgeTask(database.jdbi(), clock, requestLogKept));
    AdminTaskServlet.register(environment, new GcTask(Runtime.getRuntime()));
    AdminTaskServlet.register(environment, new StorageTask(database.jdbi(), storageLimit));
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext loggers) {
      AdminTaskServlet.register(
          environment,
          new LogLevelTask(
              loggers,
              environment
                  .lifecycle()
                  .scheduledExecutorService("log-level", true)
                  .threads(1)
                  .build()));
    }
    environment.lifecycle().addServerLifecycleListener(OpsModule::announce);
  }

  /** Logs in one line that the gateway is up, and where. */
  private static void announce(Server server) {
    String connectors =
        Arrays.stream(server.getConnectors())
            .map(ServerConnector.class::cast)
            .map(connector -> connector.getName() + " port " + connector.getLocalPort())
            .collect(Collectors.joining(", "));
    LOGGER.info("Memory Gateway is up: {}", connectors);
  }
}
