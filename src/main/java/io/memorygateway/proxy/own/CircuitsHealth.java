package io.memorygateway.proxy.own;

import static java.util.Objects.requireNonNull;

import com.codahale.metrics.health.HealthCheck;
import io.memorygateway.http.errors.PrintableText;
import io.memorygateway.proxy.circuit.Circuit;
import io.memorygateway.proxy.route.Target;
import io.memorygateway.proxy.route.Targets;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.function.Predicate;

/**
 * Health check that shows the circuits of all targets. It never makes the node unready: only calls
 * close an open circuit.
 */
public final class CircuitsHealth extends HealthCheck {
  private static final int MAX_SHOWN = 100;
  private static final int MAX_NAME_LENGTH = 128;

  private final Targets targets;

  public CircuitsHealth(Targets targets) {
    this.targets = targets;
  }

  /**
   * Registers the metrics, for targets of the configuration only, so that its labels are bounded.
   */
  public static void register(Targets targets, PrometheusRegistry registry) {
    register(
        targets,
        registry,
        "memory_gateway_llm_circuit_open",
        "1 while this node keeps calls of routes away from a target, be it for one API key or that one"
            + " call at a time is tried.",
        CircuitsHealth::isOpen);
    register(
        targets,
        registry,
        "memory_gateway_llm_circuit_open_for_all",
        "1 while this node keeps the calls of all API keys away from a target.",
        target -> view(target).openForAll());
  }

  private static void register(
      Targets targets,
      PrometheusRegistry registry,
      String name,
      String help,
      Predicate<Target> isOpen) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .labelNames("target")
        .callback(
            gauge ->
                targets
                    .configured()
                    .forEach(target -> gauge.call(isOpen.test(target) ? 1 : 0, target.name())))
        .register(registry);
  }

  @Override
  protected Result check() {
    List<Target> all = targets.configured();
    List<Target> open = all.stream().filter(CircuitsHealth::isOpen).toList();
    ResultBuilder result =
        Result.builder()
            .healthy()
            .withMessage("%d of %d circuits are open", open.size(), all.size());
    all.stream()
        .limit(MAX_SHOWN)
        .forEach(
            target ->
                result.withDetail(
                    PrintableText.of(target.name(), MAX_NAME_LENGTH), CircuitState.of(target)));
    return result.build();
  }

  private static boolean isOpen(Target target) {
    return view(target).state() != Circuit.State.CLOSED;
  }

  private static Circuit.View view(Target target) {
    return requireNonNull(target.circuit()).view();
  }
}
