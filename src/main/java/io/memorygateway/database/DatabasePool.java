package io.memorygateway.database;

import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import org.apache.tomcat.jdbc.pool.DataSourceProxy;

/** Use of the pool: connections in use, idle, and waited for. */
record DatabasePool(DataSourceProxy pool) {

  int active() {
    return pool.getActive();
  }

  int idle() {
    return pool.getIdle();
  }

  /** Threads that wait for a connection. */
  int waiting() {
    return pool.getWaitCount();
  }

  int most() {
    return pool.getMaxActive();
  }

  void register(PrometheusRegistry registry) {
    GaugeWithCallback.builder()
        .name("memory_gateway_database_connections")
        .help("Connections of the pool by state: active, idle; and the most there may be.")
        .labelNames("state")
        .callback(
            gauge -> {
              gauge.call(active(), "active");
              gauge.call(idle(), "idle");
              gauge.call(most(), "max");
            })
        .register(registry);
    GaugeWithCallback.builder()
        .name("memory_gateway_database_waiting")
        .help("Requests that wait for a connection of the pool.")
        .callback(gauge -> gauge.call(waiting()))
        .register(registry);
  }
}
