package io.memorygateway.ops;

import static com.google.common.base.Preconditions.checkArgument;

import com.codahale.metrics.health.HealthCheckRegistry;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.health.DefaultHealthFactory;
import io.dropwizard.health.HealthCheckConfiguration;
import io.dropwizard.health.HealthCheckType;
import io.dropwizard.health.HealthFactory;
import io.dropwizard.health.HealthStateView;
import io.dropwizard.health.response.HealthResponseProviderFactory;
import io.memorygateway.database.DatabaseModule;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Wires health checks that every part needs. A part registers a check of its own under its name
 * with {@code environment.healthChecks()}, and is shown by {@code /healthcheck} on the admin port;
 * only those that config.yml names under {@code health.healthChecks} make the node not ready.
 */
public final class HealthModule {
  /** Path of the readiness probe on the application port, for load balancers. */
  public static final String PROBE_PATH = "/health-check";

  private HealthModule() {}

  /**
   * Checks that the configuration names checks that there are.
   *
   * @throws IllegalArgumentException with a line for the operator, if it does not
   */
  public static void check(Optional<HealthFactory> configured, HealthCheckRegistry checks) {
    if (configured.orElse(null) instanceof DefaultHealthFactory factory) {
      for (HealthCheckConfiguration each : factory.getHealthCheckConfigurations()) {
        if (!checks.getNames().contains(each.getName())) {
          throw new IllegalArgumentException(
              "health.healthChecks: there is no check "
                  + each.getName()
                  + "; there are "
                  + String.join(", ", checks.getNames()));
        }
      }
    }
  }

  /**
   * Checks what else stands there: the server would find it at its start alone, and name no key.
   *
   * @throws IllegalArgumentException with the key below {@code health:} and the fault
   */
  public static void check(@Nullable HealthFactory configured) {
    if (!(configured instanceof DefaultHealthFactory factory)) {
      return;
    }
    Set<String> names = new HashSet<>();
    for (HealthCheckConfiguration each : factory.getHealthCheckConfigurations()) {
      checkArgument(
          names.add(each.getName()),
          "healthChecks: the check %s stands there twice",
          each.getName());
      checkArgument(
          each.getSchedule().getCheckInterval().toNanoseconds() > 0
              && each.getSchedule().getDowntimeInterval().toNanoseconds() > 0,
          "healthChecks: the intervals of %s must be more than 0",
          each.getName());
    }
    checkArgument(
        factory.getHealthCheckUrlPaths().stream().allMatch(path -> path.startsWith("/")),
        "healthCheckUrlPaths: a path begins with /");
  }

  /**
   * Makes the probe answer by the current state of each check. Dropwizard answers by a count of
   * failing checks, and where two checks change at once an older count may be written last: a node
   * whose checks are all good then stays not ready until one of them fails again. Settings that
   * work by the count alone leave it: {@code initialOverallState} and {@code
   * delayedShutdownHandlerEnabled}.
   */
  public static void answerByChecks(@Nullable HealthFactory configured) {
    if (configured instanceof DefaultHealthFactory factory
        && factory.isInitialOverallState()
        && !factory.isDelayedShutdownHandlerEnabled()) {
      HealthResponseProviderFactory provider = factory.getHealthResponseProviderFactory();
      factory.setHealthResponseProviderFactory(
          (counted, checks, mapper) ->
              provider.build(type -> isHealthy(type, checks.healthStateViews()), checks, mapper));
    }
  }

  private static boolean isHealthy(@Nullable String type, Collection<HealthStateView> checks) {
    boolean all = !HealthCheckType.ALIVE.name().equalsIgnoreCase(type);
    return checks.stream()
        .filter(check -> check.isCritical() && (all || check.getType() == HealthCheckType.ALIVE))
        .allMatch(HealthStateView::isHealthy);
  }

  public static void install(
      DatabaseModule database, PrometheusRegistry registry, Environment environment) {
    database.watch(registry, environment.healthChecks());
    GaugeWithCallback.builder()
        .name("memory_gateway_healthy")
        .help("1 while a check that makes the node ready is good, by its name in config.yml.")
        .labelNames("check")
        .callback(
            gauge -> {
              for (HealthStateView view :
                  environment.health().healthStateAggregator().healthStateViews()) {
                gauge.call(view.isHealthy() ? 1 : 0, view.getName());
              }
            })
        .register(registry);
  }
}
