package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What operators see of the shared windows. */
class WindowMetricsTest {
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final AtomicBoolean shared = new AtomicBoolean();
  private final WindowMetrics metrics = new WindowMetrics(registry, shared::get);

  @Test
  void theGaugeSaysWhetherTheSharedWindowsDecideNow() {
    assertThat(isShared()).isZero();
    shared.set(true);
    assertThat(isShared()).isOne();
  }

  @Test
  void lossesAndTimeoutsAreCountedApart() {
    metrics.fellBack();
    metrics.timedOut();
    metrics.timedOut();
    assertThat(count("memory_gateway_rate_limit_fallbacks")).isOne();
    assertThat(count("memory_gateway_rate_limit_timeouts")).isEqualTo(2);
  }

  private double isShared() {
    return registry.scrape("memory_gateway_rate_limit_shared"::equals).stream()
        .map(GaugeSnapshot.class::cast)
        .mapToDouble(snapshot -> snapshot.getDataPoints().get(0).getValue())
        .sum();
  }

  private double count(String name) {
    return registry.scrape(name::equals).stream()
        .map(CounterSnapshot.class::cast)
        .mapToDouble(snapshot -> snapshot.getDataPoints().get(0).getValue())
        .sum();
  }
}
