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
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Wires health checks, draining and the operators' tasks that belong to no feature. */
public final class OpsModule {
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
    DrainModule.install(shutdown, serverFactory, calls, registry, clock, environment);
    AdminTaskServlet.register(
        environment.admin(),
        new PurgeTask(database.jdbi(), clock, requestLogKept),
        environment.getObjectMapper());
    AdminTaskServlet.register(
        environment.admin(), new GcTask(Runtime.getRuntime()), environment.getObjectMapper());
    AdminTaskServlet.register(
        environment.admin(),
        new StorageTask(database.jdbi(), storageLimit),
        environment.getObjectMapper());
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext loggers) {
      AdminTaskServlet.register(
          environment.admin(),
          new LogLevelTask(
              loggers,
              environment
                  .lifecycle()
                  .scheduledExecutorService("log-level", true)
                  .threads(1)
                  .build()),
          environment.getObjectMapper());
    }
    environment.lifecycle().addServerLifecycleListener(new StartAnnouncement());
  }
}
