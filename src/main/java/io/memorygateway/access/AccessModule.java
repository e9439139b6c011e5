package io.memorygateway.access;

import io.dropwizard.core.setup.Environment;
import io.memorygateway.ops.HealthModule;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.InstantSource;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.RequestLog;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.component.LifeCycle;

/** Wires the access log and the metrics of requests. */
public final class AccessModule {
  private AccessModule() {}

  /** Installs both; to be called before the server is built. */
  public static void install(
      PrometheusRegistry registry, InstantSource clock, Environment environment) {
    AccessLog log = new AccessLog(registry);
    environment.lifecycle().manage(log);
    environment.lifecycle().addEventListener(new RequestEnd(log, new HttpMetrics(registry), clock));
    environment.jersey().register(new MatchedEndpoint());
  }

  /**
   * Listener that Jetty calls at the end of each request, including those that its parser refused,
   * but for probes of load balancers, which are no callers.
   */
  private record RequestEnd(AccessLog log, HttpMetrics metrics, InstantSource clock)
      implements RequestLog, LifeCycle.Listener {
    private static final String APPLICATION = "application";

    @Override
    public void lifeCycleStarting(LifeCycle event) {
      if (event instanceof Server server) {
        server.setRequestLog(this);
      }
    }

    @Override
    public void log(Request request, Response response) {
      if (!APPLICATION.equals(request.getConnectionMetaData().getConnector().getName())
          || HealthModule.PROBE_PATH.equals(request.getHttpURI().getCanonicalPath())) {
        return;
      }
      AccessEntry entry = AccessEntry.of(request, response, clock.millis(), System.nanoTime());
      metrics.count(entry);
      log.add(entry);
    }
  }
}
