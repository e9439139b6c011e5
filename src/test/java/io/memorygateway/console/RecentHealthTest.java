package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.health.HealthCheck;
import com.codahale.metrics.health.HealthCheckRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Open consoles do not multiply the health checks. */
class RecentHealthTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 10);
  private final AtomicInteger runs = new AtomicInteger();
  private final HealthCheckRegistry registry = new HealthCheckRegistry();
  private final RecentHealth health = new RecentHealth(registry, nanos::get);

  private void register(HealthCheck check) {
    registry.register("it", check);
  }

  private HealthCheck counting() {
    return new HealthCheck() {
      @Override
      protected Result check() {
        return Result.healthy("run " + runs.incrementAndGet());
      }
    };
  }

  private String message() {
    return health.results().get("it").getMessage();
  }

  @Test
  void whoAsksWithinSecondsGetsTheLastResults() {
    register(counting());
    for (int i = 0; i < 10; i++) {
      assertThat(message()).isEqualTo("run 1");
    }
    nanos.addAndGet(RecentHealth.FRESH_NANOS - 10);
    assertThat(message()).isEqualTo("run 1");
    nanos.addAndGet(10);
    assertThat(message()).isEqualTo("run 2");
    assertThat(runs).hasValue(2);
  }

  @Test
  void whoAsksDuringARunWaitsForItsResults() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    register(
        new HealthCheck() {
          @Override
          protected Result check() throws InterruptedException {
            runs.incrementAndGet();
            release.await();
            return Result.healthy("done");
          }
        });
    ExecutorService consoles = Executors.newFixedThreadPool(10);
    try {
      List<Future<String>> answers = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        answers.add(consoles.submit(this::message));
      }
      await().until(() -> runs.get() == 1);
      // A check that takes longer than results are fresh is still run once at a time.
      nanos.addAndGet(2 * RecentHealth.FRESH_NANOS);
      answers.add(consoles.submit(this::message));
      release.countDown();
      for (Future<String> answer : answers) {
        assertThat(answer.get()).isEqualTo("done");
      }
    } finally {
      consoles.shutdownNow();
    }
    assertThat(runs.get()).isBetween(1, 2);
  }

  @Test
  void aRunThatBreaksOffIsNotKept() {
    register(
        new HealthCheck() {
          @Override
          protected Result check() {
            if (runs.incrementAndGet() == 1) {
              throw new StackOverflowError();
            }
            return Result.healthy("again");
          }
        });
    assertThatThrownBy(this::message).isInstanceOf(Throwable.class);
    assertThat(message()).isEqualTo("again");
  }
}
