package io.memorygateway.http.admission;

import com.sun.management.OperatingSystemMXBean;
import io.dropwizard.core.server.AbstractServerFactory;
import io.dropwizard.core.server.ServerFactory;
import io.dropwizard.core.setup.Environment;
import io.memorygateway.concurrent.CallerShares;
import io.memorygateway.concurrent.CallerShares.Full;
import io.memorygateway.concurrent.KeyedPermits;
import io.memorygateway.concurrent.PermitNumber;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import jakarta.servlet.DispatcherType;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wires permits: every request gets its {@link RequestPermit}, which is closed in the end. */
public final class RequestPermits {
  private static final Logger LOGGER = LoggerFactory.getLogger(RequestPermits.class);

  private static final long TICK_MILLIS = 50;

  /** Bound of requests without a bound on threads. */
  private static final int MOST = 4096;

  /**
   * Threads that no request with a key holds, if a quarter of all is as many: for health checks,
   * for refusals, and for the server itself.
   */
  private static final int KEPT_BACK = 64;

  private RequestPermits() {}

  /**
   * Installs the filter on the application port, behind the filters that are there.
   *
   * @return what is in flight
   */
  public static CallerShares install(
      ConcurrencySettings settings,
      ServerFactory serverFactory,
      PrometheusRegistry registry,
      Environment environment) {
    int threads =
        serverFactory instanceof AbstractServerFactory factory ? factory.getMaxThreads() : MOST;
    OperatingSystemMXBean processors =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    KeyedPermits permits =
        new KeyedPermits(
            new PermitNumber(
                settings.least(), threads / 2, processors::getCpuLoad, System.nanoTime()),
            settings.maxWait().toNanoseconds(),
            threads / 2,
            System::nanoTime);
    // Waiting would hold a thread, and none is free.
    CallerShares inFlight =
        new CallerShares(threads - Math.min(KEPT_BACK, threads / 4), Duration.ZERO);
    ScheduledExecutorService ticks =
        environment.lifecycle().scheduledExecutorService("concurrency", true).threads(1).build();
    var unused =
        ticks.scheduleWithFixedDelay(
            () -> tick(permits), TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    measure(permits, inFlight, registry);
    environment
        .servlets()
        .addFilter(
            "request-permits",
            (request, response, chain) -> {
              try (RequestPermit permit = new RequestPermit(permits, inFlight)) {
                request.setAttribute(RequestPermit.ATTRIBUTE, permit);
                chain.doFilter(request, response);
              }
            })
        .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), true, "/*");
    return inFlight;
  }

  private static void tick(KeyedPermits permits) {
    try {
      permits.tick();
    } catch (RuntimeException | Error e) {
      LOGGER.error("Requests that have waited too long could not be refused", e);
    }
  }

  private static void measure(
      KeyedPermits permits, CallerShares inFlight, PrometheusRegistry registry) {
    GaugeWithCallback.builder()
        .name("memory_gateway_requests_in_work")
        .help(
            "Requests that the node works at, that wait for it, and the most it works at; those in"
                + " flight, wherever they wait, and the most there may be.")
        .labelNames("state")
        .callback(
            gauge -> {
              KeyedPermits.State state = permits.state();
              gauge.call(state.held(), "working");
              gauge.call(state.waiting(), "waiting");
              gauge.call(state.permits(), "max");
              gauge.call(inFlight.held(), "in_flight");
              gauge.call(inFlight.total(), "max_in_flight");
            })
        .register(registry);
    CounterWithCallback.builder()
        .name("memory_gateway_overload_refused_total")
        .help("Requests that were refused because the node had more than it can serve.")
        .labelNames("because_of")
        .callback(
            counter -> {
              counter.call((double) permits.state().refused(), "wait");
              counter.call((double) inFlight.refused(Full.KEY), "key");
              counter.call((double) inFlight.refused(Full.PROJECT), "project");
              counter.call((double) inFlight.refused(Full.ALL), "node");
            })
        .register(registry);
  }
}
