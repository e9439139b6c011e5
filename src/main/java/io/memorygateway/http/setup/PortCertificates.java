package io.memorygateway.http.setup;

import com.codahale.metrics.health.HealthCheck;
import io.dropwizard.core.server.ServerFactory;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.lifecycle.Managed;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificates of ports that speak TLS themselves: when they end is told before, for clients
 * refuse one that has ended, and neither Java nor Jetty says a word about it.
 */
public final class PortCertificates extends HealthCheck implements Managed {
  private static final Logger LOGGER = LoggerFactory.getLogger(PortCertificates.class);

  /** From then on, operators are told. */
  private static final Duration SOON = Duration.ofDays(14);

  private final Map<String, Instant> ends;
  private final InstantSource clock;

  PortCertificates(Map<String, Instant> ends, InstantSource clock) {
    this.ends = ends;
    this.clock = clock;
  }

  /** Registers the health check, the metric and the warning, if any port speaks TLS. */
  public static void install(
      ServerFactory serverFactory,
      InstantSource clock,
      PrometheusRegistry registry,
      Environment environment) {
    Map<String, Instant> ends = KeyStores.ends(serverFactory);
    if (ends.isEmpty()) {
      return;
    }
    PortCertificates certificates = new PortCertificates(ends, clock);
    environment.lifecycle().manage(certificates);
    environment.healthChecks().register("certificates", certificates);
    GaugeWithCallback.builder()
        .name("memory_gateway_certificate_expiry_seconds")
        .help(
            "When the certificate of a port is good no more, in seconds since 1970; of its chain, the"
                + " first to end.")
        .labelNames("connector")
        .callback(
            gauge -> ends.forEach((name, end) -> gauge.call((double) end.getEpochSecond(), name)))
        .register(registry);
  }

  /** A line for each port whose certificate has ended or ends soon. */
  public static List<String> warnings(ServerFactory serverFactory, Instant now) {
    return warnings(KeyStores.ends(serverFactory), now);
  }

  static List<String> warnings(Map<String, Instant> ends, Instant now) {
    return ends.entrySet().stream()
        .filter(port -> port.getValue().isBefore(now.plus(SOON)))
        .map(
            port ->
                "the certificate of %s %s at %s"
                    .formatted(
                        port.getKey(),
                        port.getValue().isBefore(now) ? "has ended" : "ends",
                        port.getValue()))
        .toList();
  }

  @Override
  public void start() {
    warnings(ends, clock.instant()).forEach(LOGGER::warn);
  }

  @Override
  protected Result check() {
    Instant now = clock.instant();
    String told =
        ends.entrySet().stream()
            .map(port -> port.getKey() + " until " + port.getValue())
            .collect(Collectors.joining(", "));
    return ends.values().stream().allMatch(now::isBefore)
        ? Result.healthy(told)
        : Result.unhealthy(told);
  }
}
