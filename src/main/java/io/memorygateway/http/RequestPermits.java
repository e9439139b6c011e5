package io.memorygateway.http;

import com.sun.management.OperatingSystemMXBean;
import io.dropwizard.core.server.AbstractServerFactory;
import io.dropwizard.core.server.ServerFactory;
import io.dropwizard.core.setup.Environment;
import io.memorygateway.concurrent.KeyedPermits;
import io.memorygateway.concurrent.PermitNumber;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.EnumSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Filter that gives every request its {@link RequestPermit}, and closes it in the end. */
public final class RequestPermits implements Filter {
  private static final Logger LOGGER = LoggerFactory.getLogger(RequestPermits.class);

  private static final long TICK_MILLIS = 50;

  /** Bound of requests without a bound on threads. */
  private static final int MOST = 4096;

  private final KeyedPermits permits;

  private RequestPermits(KeyedPermits permits) {
    this.permits = permits;
  }

  /** Installs the filter on the application port, behind the filters that are there. */
  public static void install(
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
    ScheduledExecutorService ticks =
        environment.lifecycle().scheduledExecutorService("concurrency", true).threads(1).build();
    var unused =
        ticks.scheduleWithFixedDelay(
            () -> tick(permits), TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    measure(permits, registry);
    environment
        .servlets()
        .addFilter("request-permits", new RequestPermits(permits))
        .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), true, "/*");
  }

  private static void tick(KeyedPermits permits) {
    try {
      permits.tick();
    } catch (RuntimeException | Error e) {
      LOGGER.error("Requests that have waited too long could not be refused", e);
    }
  }

  private static void measure(KeyedPermits permits, PrometheusRegistry registry) {
    GaugeWithCallback.builder()
        .name("memory_gateway_requests_in_work")
        .help("Requests that the node works at, that wait for it, and the most it works at.")
        .labelNames("state")
        .callback(
            gauge -> {
              KeyedPermits.State state = permits.state();
              gauge.call(state.held(), "working");
              gauge.call(state.waiting(), "waiting");
              gauge.call(state.permits(), "max");
            })
        .register(registry);
    CounterWithCallback.builder()
        .name("memory_gateway_overload_refused_total")
        .help("Requests that were refused because the node had more than it can serve.")
        .callback(counter -> counter.call((double) permits.state().refused()))
        .register(registry);
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    try (RequestPermit permit = new RequestPermit(permits)) {
      request.setAttribute(RequestPermit.ATTRIBUTE, permit);
      chain.doFilter(request, response);
    }
  }
}
