package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.health.HealthCheck;
import com.google.common.util.concurrent.Uninterruptibles;
import io.memorygateway.testing.TestTimeout;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(
    value = TestTimeout.SECONDS,
    unit = TimeUnit.SECONDS,
    threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BoundedHealthCheckTest {
  private final AtomicInteger runs = new AtomicInteger();
  private final CountDownLatch end = new CountDownLatch(1);

  @Test
  void aCheckThatHangsIsUnhealthyAndRunsOnce() throws Exception {
    HealthCheck bounded = bounded(50);

    for (int i = 0; i < 5; i++) {
      assertThat(bounded.execute().isHealthy()).isFalse();
    }
    await().until(() -> runs.get() > 0);
    assertThat(runs).hasValue(1);

    end.countDown();
    HealthCheck.Result result = bounded(TestTimeout.DEFAULT.toMillis()).execute();
    assertThat(result.isHealthy()).isTrue();
    assertThat(result.getMessage()).isEqualTo("fine");
  }

  private HealthCheck bounded(long millis) {
    return new BoundedHealthCheck(
        "hanging",
        () -> {
          runs.incrementAndGet();
          Uninterruptibles.awaitUninterruptibly(end);
          return HealthCheck.Result.healthy("fine");
        },
        Duration.ofMillis(millis));
  }
}
