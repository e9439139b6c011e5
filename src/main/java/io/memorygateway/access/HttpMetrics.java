package io.memorygateway.access;

import io.memorygateway.http.errors.BoundedLabel;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Set;

/** Metrics of every request on the application port. Labels are bounded. */
final class HttpMetrics {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

  private final Counter requests;
  private final Histogram seconds;
  private final Counter byProject;
  private final BoundedLabel projects = new BoundedLabel(100);

  HttpMetrics(PrometheusRegistry registry) {
    requests =
        Counter.builder()
            .name("memory_gateway_http_requests_total")
            .help("Requests on the application port, by the template of their path.")
            .labelNames("endpoint", "method", "status")
            .register(registry);
    seconds =
        Histogram.builder()
            .name("memory_gateway_http_request_seconds")
            .help("From the head of a request to the last byte of its answer.")
            .labelNames("endpoint")
            .classicOnly()
            .classicUpperBounds(
                .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300)
            .register(registry);
    byProject =
        Counter.builder()
            .name("memory_gateway_project_requests_total")
            .help("Requests with a valid key, by project; after the first 100 projects: other.")
            .labelNames("project", "status")
            .register(registry);
  }

  void count(AccessEntry entry) {
    String method = METHODS.contains(entry.method()) ? entry.method() : "other";
    String status = Integer.toString(entry.status());
    requests.labelValues(entry.endpoint(), method, status).inc();
    seconds.labelValues(entry.endpoint()).observe(entry.nanos() / NANOS_PER_SECOND);
    String project = entry.notes().project();
    if (project != null) {
      byProject.labelValues(projects.of(project), statusClass(entry.status())).inc();
    }
  }

  private static String statusClass(int status) {
    return switch (status / 100) {
      case 2 -> "2xx";
      case 4 -> "4xx";
      case 5 -> "5xx";
      default -> "other";
    };
  }
}
