package io.memorygateway.turn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.memorygateway.http.ApiException;
import io.memorygateway.http.ClientPresence;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Large calls run apart, some at once, some waiting, and end when nobody waits for them. */
class LargeCallThreadsTest {
  private static final ClientPresence STAYS = onLeaving -> () -> {};

  private final LargeCallThreads calls = new LargeCallThreads(2, new PrometheusRegistry());

  @Test
  void theWorkIsDoneOnAnotherPlatformThread() {
    Thread worker = calls.run(1, STAYS, Thread::currentThread);

    assertThat(worker).isNotSameAs(Thread.currentThread());
    assertThat(worker.getName()).isEqualTo("large-call");
  }

  @Test
  void whatItThrowsIsThrown() {
    ApiException failure = new BusyException("x");

    assertThat(
            catchThrowableOfType(
                ApiException.class,
                () ->
                    calls.run(
                        1,
                        STAYS,
                        () -> {
                          throw failure;
                        })))
        .isSameAs(failure);
  }

  @Test
  void theWorkEndsWhenTheClientLeaves() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    AtomicReference<Runnable> leaving = new AtomicReference<>();
    AtomicInteger watching = new AtomicInteger();
    ClientPresence client =
        onLeaving -> {
          leaving.set(onLeaving);
          watching.incrementAndGet();
          return watching::decrementAndGet;
        };
    CompletableFuture<ApiException> thrown =
        CompletableFuture.supplyAsync(
            () ->
                catchThrowableOfType(
                    ApiException.class,
                    () ->
                        calls.run(
                            1,
                            client,
                            () -> {
                              begun.countDown();
                              try {
                                return forever();
                              } catch (InterruptedException e) {
                                interrupted.complete(true);
                                throw e;
                              }
                            })));
    begun.await();
    while (leaving.get() == null) {
      Thread.onSpinWait();
    }

    leaving.get().run();

    assertThat(thrown.get().error().status()).isEqualTo(499);
    assertThat(interrupted.get()).isTrue();
    assertThat(watching).hasValue(0);
  }

  @Test
  void aProjectTakesNotAllPlacesAndWhatIsTooMuchIsRefused() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    ExecutorService callers = Executors.newCachedThreadPool();
    try {
      List<Future<Boolean>> running = new ArrayList<>();
      for (int i = 0; i < 18; i++) {
        running.add(callers.submit(() -> calls.run(1, STAYS, () -> waitFor(end))));
      }
      await(1, 18);
      assertThat(catchThrowableOfType(BusyException.class, () -> calls.run(1, STAYS, () -> true)))
          .extracting(e -> e.error().status())
          .isEqualTo(503);
      for (int i = 0; i < 16; i++) {
        running.add(callers.submit(() -> calls.run(2, STAYS, () -> waitFor(end))));
      }
      await(2, 16);
      assertThat(catchThrowableOfType(BusyException.class, () -> calls.run(3, STAYS, () -> true)))
          .isNotNull();
      end.countDown();
      for (Future<Boolean> call : running) {
        assertThat(call.get()).isTrue();
      }
      assertThat(calls.run(1, STAYS, () -> true)).isTrue();
    } finally {
      callers.shutdownNow();
    }
  }

  private static boolean forever() throws InterruptedException {
    return waitFor(new CountDownLatch(1));
  }

  private void await(long project, int count) {
    while (calls.waitingOrRunning(project) < count) {
      Thread.onSpinWait();
    }
  }

  private static boolean waitFor(CountDownLatch end) throws InterruptedException {
    end.await();
    return true;
  }
}
