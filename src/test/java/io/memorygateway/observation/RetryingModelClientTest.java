package io.memorygateway.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.observation.text.ModelClient;
import io.memorygateway.observation.text.ModelFailureException;
import io.memorygateway.observation.text.ModelFailureException.Reason;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryingModelClientTest {
  private static final ModelClient.Request REQUEST =
      new ModelClient.Request("m", "s", "t", List.of(), 10, Duration.ofSeconds(1));

  private final AtomicInteger calls = new AtomicInteger();

  @Test
  void asksAgainWhileTheModelIsUnavailable() throws Exception {
    ModelClient client =
        patient(
            request -> {
              if (calls.incrementAndGet() < 3) {
                throw new ModelFailureException(Reason.UNAVAILABLE, "status 503");
              }
              return FakeModel.text("at last");
            });
    assertThat(client.complete(REQUEST).text()).isEqualTo("at last");
    assertThat(calls).hasValue(3);
  }

  @Test
  void givesUpAfterSoManyAttempts() {
    assertThatThrownBy(() -> failing(Reason.UNAVAILABLE).complete(REQUEST))
        .isInstanceOf(ModelFailureException.class);
    assertThat(calls).hasValue(3);
  }

  @Test
  void doesNotAskAgainWhatIsRefusedOrTakesTooLong() {
    for (Reason reason : List.of(Reason.REFUSED, Reason.TIMEOUT)) {
      calls.set(0);
      assertThatThrownBy(() -> failing(reason).complete(REQUEST))
          .isInstanceOf(ModelFailureException.class);
      assertThat(calls).hasValue(1);
    }
  }

  @Test
  void neverHasMoreCallsOpenThanItMay() throws Exception {
    AtomicInteger open = new AtomicInteger();
    AtomicInteger max = new AtomicInteger();
    CountDownLatch two = new CountDownLatch(2);
    ModelClient client =
        patient(
            request -> {
              max.accumulateAndGet(open.incrementAndGet(), Math::max);
              two.countDown();
              two.await();
              open.decrementAndGet();
              return FakeModel.text("");
            });
    ExecutorService callers = Executors.newFixedThreadPool(8);
    try {
      List<Future<ModelClient.Completion>> answers =
          IntStream.range(0, 20)
              .mapToObj(i -> callers.submit(() -> client.complete(REQUEST)))
              .toList();
      for (Future<ModelClient.Completion> answer : answers) {
        answer.get();
      }
    } finally {
      callers.shutdownNow();
    }
    assertThat(max).hasValue(2);
  }

  private ModelClient failing(Reason reason) {
    return patient(
        request -> {
          calls.incrementAndGet();
          throw new ModelFailureException(reason, "no");
        });
  }

  private static ModelClient patient(ModelClient client) {
    return new RetryingModelClient(
        client,
        3,
        Duration.ofMillis(1),
        2,
        new ObservationMetrics(new PrometheusRegistry()),
        new Random(1));
  }
}
