package io.memorygateway.http.arrival;

import io.dropwizard.core.server.AbstractServerFactory;
import io.dropwizard.core.server.ServerFactory;
import io.dropwizard.core.setup.Environment;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.component.LifeCycle;

/**
 * Wires when requests are accepted, and how long they may take to arrive: on either port, none
 * before the node can answer it, and none that arrives too slowly.
 */
public final class RequestArrival {
  private static final long CHECK_INTERVAL_SECONDS = 1;

  private RequestArrival() {}

  /** Installs itself; to be called before the server is built. */
  public static void install(
      SlowRequests configuration,
      ServerFactory serverFactory,
      PrometheusRegistry registry,
      Environment environment) {
    if (serverFactory instanceof AbstractServerFactory factory) {
      openLate(factory);
    }
    Counter givenUp =
        Counter.builder()
            .name("memory_gateway_slow_requests_total")
            .help("Requests that were given up because they arrived too slowly.")
            .labelNames("part")
            .register(registry);
    ScheduledExecutorService looks =
        environment.lifecycle().scheduledExecutorService("slow-heads", true).threads(1).build();
    environment
        .lifecycle()
        .addEventListener(
            new LifeCycle.Listener() {
              @Override
              public void lifeCycleStarting(LifeCycle event) {
                if (event instanceof Server server) {
                  server.setOpenEarly(false);
                  // Below the count of requests, and above decompression.
                  Handler.Singleton parent =
                      server.getHandler() instanceof Handler.Singleton outermost
                          ? outermost
                          : server;
                  parent.insertHandler(new UnreadBodyHandler());
                  parent.insertHandler(
                      new SlowBodyHandler(configuration, givenUp.labelValues("body")));
                  parent.insertHandler(new BrokenConnectionHandler());
                }
              }

              @Override
              public void lifeCycleStarted(LifeCycle event) {
                if (event instanceof Server server) {
                  var unused =
                      looks.scheduleWithFixedDelay(
                          new SlowHeaders(server, configuration, givenUp.labelValues("head")),
                          CHECK_INTERVAL_SECONDS,
                          CHECK_INTERVAL_SECONDS,
                          TimeUnit.SECONDS);
                }
              }
            });
  }

  /**
   * Opens the ports last. Jetty would open them first of all, and so would Dropwizard before it, in
   * case it is to change the user: callers would hang until everything else has started.
   */
  private static void openLate(AbstractServerFactory factory) {
    if (factory.getUser() == null
        && factory.getUid() == null
        && factory.getGroup() == null
        && factory.getGid() == null
        && factory.getStartsAsRoot() == null) {
      factory.setStartsAsRoot(true);
    }
  }
}
