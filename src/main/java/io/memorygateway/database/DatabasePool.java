package io.memorygateway.database;

import com.codahale.metrics.health.HealthCheck;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import org.apache.tomcat.jdbc.pool.DataSourceProxy;

/** Use of the pool: connections in use, idle, and waited for. */
record DatabasePool(DataSourceProxy pool) {
  /**
   * Health check of the database that reports the pool's figures, too.
   *
   * @param answers queries the database, with a time limit
   */
  HealthCheck check(HealthCheck answers) {
    return new HealthCheck() {
      @Override
      protected Result check() {
        Result answer = answers.execute();
        ResultBuilder result =
            Result.builder()
                .withDetail("active", pool.getActive())
                .withDetail("idle", pool.getIdle())
                .withDetail("waiting", pool.getWaitCount())
                .withDetail("max", pool.getMaxActive());
        return answer.isHealthy()
            ? result.healthy().withMessage("the database answers").build()
            : result.unhealthy().withMessage("the database does not answer").build();
      }
    };
  }

  void register(PrometheusRegistry registry) {
    GaugeWithCallback.builder()
        .name("memory_gateway_database_connections")
        .help("Connections of the pool by state: active, idle; and the most there may be.")
        .labelNames("state")
        .callback(
            gauge -> {
              gauge.call(pool.getActive(), "active");
              gauge.call(pool.getIdle(), "idle");
              gauge.call(pool.getMaxActive(), "max");
            })
        .register(registry);
    GaugeWithCallback.builder()
        .name("memory_gateway_database_waiting")
        .help("Requests that wait for a connection of the pool.")
        .callback(gauge -> gauge.call(pool.getWaitCount()))
        .register(registry);
  }
}
