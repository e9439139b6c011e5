package io.memorygateway.usage;

import io.dropwizard.core.setup.Environment;
import io.memorygateway.http.AdminTaskServlet;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.InstantSource;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;

/** Wires the request log and the reports over it. */
public final class UsageModule {
  private UsageModule() {}

  /** Returns what proxied calls are given to when they are over. */
  public static Consumer<LoggedCall> install(
      UsageConfiguration configuration,
      Jdbi jdbi,
      InstantSource clock,
      PrometheusRegistry registry,
      Environment environment) {
    AdminTaskServlet.register(
        environment.admin(), new UsageTask(jdbi, clock), environment.getObjectMapper());
    environment
        .lifecycle()
        .manage(
            new RequestLogCleaner(
                jdbi,
                clock,
                configuration.retention().toJavaDuration(),
                environment.lifecycle().scheduledExecutorService("request-log-%d").build()));
    if (!configuration.requestLog()) {
      return call -> {};
    }
    CallLog log = new CallLog(jdbi, registry);
    environment.lifecycle().manage(log);
    return log::add;
  }
}
