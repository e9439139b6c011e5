package io.memorygateway.ops;

import com.codahale.metrics.health.HealthCheck;
import io.dropwizard.core.setup.Environment;
import io.memorygateway.operator.AdminTaskServlet;
import io.memorygateway.price.PriceTable;
import io.memorygateway.price.Prices;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.jdbi.v3.core.Jdbi;

/** Wires what operators see of prices. */
public final class PriceModule {
  private PriceModule() {}

  public static void install(
      Prices prices,
      Jdbi jdbi,
      InstantSource clock,
      PrometheusRegistry registry,
      Environment environment) {
    PriceTable table = prices.table();
    AdminTaskServlet.register(environment, new PriceShowTask(prices, clock));
    AdminTaskServlet.register(environment, new PriceCheckTask(prices, jdbi, clock));
    environment
        .healthChecks()
        .register(
            "prices",
            new HealthCheck() {
              @Override
              protected Result check() {
                return Result.healthy(table.title());
              }
            });
    GaugeWithCallback.builder()
        .name("memory_gateway_price_table_age_days")
        .help("Days since the package was released that the table of prices is made of.")
        .callback(gauge -> gauge.call((double) age(table.date(), clock)))
        .register(registry);
    Info.builder()
        .name("memory_gateway_price_table_info")
        .help("The package that the table of prices is made of.")
        .labelNames("version", "date")
        .register(registry)
        .addLabelValues(table.version(), table.date().toString());
  }

  private static long age(LocalDate date, InstantSource clock) {
    return ChronoUnit.DAYS.between(date, LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC));
  }
}
