package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LockWaitsTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final LockWaits waits = new LockWaits(new PrometheusRegistry(), nanos::get);

  @Test
  void refusalsAreToldForSomeSecondsAndThenForgotten() {
    assertThat(waits.execute().isHealthy()).isTrue();
    waits.timedOut();
    assertThat(waits.execute().isHealthy()).isTrue();

    waits.refused();
    waits.refused();

    assertThat(waits.execute().isHealthy()).isFalse();
    assertThat(waits.execute().getMessage()).startsWith("2 writes");
    pass(11);
    waits.refused();
    assertThat(waits.recentRefusals()).isEqualTo(3);
    pass(10);
    assertThat(waits.recentRefusals()).isEqualTo(1);
    pass(40);
    assertThat(waits.execute().isHealthy()).isTrue();
  }

  private void pass(long seconds) {
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
  }
}
