package io.memorygateway.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.memorygateway.http.ApiException;
import io.memorygateway.http.ClientPresence;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Large searches run apart, some at once, some waiting, and end when nobody waits for them. */
class ScanThreadsTest {
  private static final ClientPresence STAYS = onLeaving -> () -> {};
  private static final ScanThreads.Size SMALL = new ScanThreads.Size(1, 1_000, 1_000_000);
  private static final ScanThreads.Size LARGE = large(1);

  private final ScanThreads scans = new ScanThreads(2, new SearchMetrics(new PrometheusRegistry()));

  private static ScanThreads.Size large(long project) {
    return new ScanThreads.Size(project, 1_000_000, 1_000_000);
  }

  @AfterEach
  void stop() {
    scans.close();
  }

  @Test
  void onlyWhatIsLargeIsDoneOnAnotherThread() {
    assertThat(scans.run(SMALL, STAYS, Thread::currentThread)).isSameAs(Thread.currentThread());
    assertThat(scans.run(LARGE, STAYS, Thread::currentThread).getName()).isEqualTo("search");
  }

  @Test
  void theWorkEndsWhenTheClientLeaves() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    AtomicReference<Runnable> leaving = new AtomicReference<>();
    AtomicInteger watching = new AtomicInteger();
    ClientPresence client =
        onLeaving -> {
          watching.incrementAndGet();
          leaving.set(onLeaving);
          return watching::decrementAndGet;
        };
    CompletableFuture<ApiException> thrown =
        CompletableFuture.supplyAsync(
            () ->
                catchThrowableOfType(
                    ApiException.class,
                    () ->
                        scans.run(
                            LARGE,
                            client,
                            () -> {
                              begun.countDown();
                              boolean ended = waitFor(new CountDownLatch(1));
                              interrupted.complete(!ended);
                              return ended;
                            })));
    begun.await();
    while (leaving.get() == null) {
      Thread.onSpinWait();
    }

    leaving.get().run();

    assertThat(thrown.get().error().status()).isEqualTo(499);
    assertThat(interrupted.get()).isTrue();
    assertThat(watching).hasValue(0);
    assertThat(scans.waitingOrRunning(1)).isZero();
  }

  @Test
  void whoIsNotPatientGoesOnAndTheWorkIsDoneForOthers() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    assertThat(
            scans.runWithin(
                Duration.ofMillis(1),
                LARGE,
                () -> {
                  done.complete(waitFor(end));
                  return true;
                }))
        .isEmpty();
    end.countDown();
    assertThat(done.get()).isTrue();
    assertThat(scans.runWithin(Duration.ofMinutes(1), LARGE, () -> true)).hasValue(true);
  }

  @Test
  void aProjectTakesNotAllPlacesAndWhatIsTooMuchIsRefused() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    ExecutorService callers = Executors.newCachedThreadPool();
    try {
      List<Future<Boolean>> running = new ArrayList<>();
      for (int i = 0; i < 34; i++) {
        running.add(callers.submit(() -> scans.run(LARGE, STAYS, () -> waitFor(end))));
      }
      await(1, 34);
      assertThat(refused(LARGE)).isEqualTo(503);
      assertThat(scans.run(SMALL, STAYS, () -> true)).as("small ones go on").isTrue();
      for (int i = 0; i < 32; i++) {
        running.add(callers.submit(() -> scans.run(large(2), STAYS, () -> waitFor(end))));
      }
      await(2, 32);
      assertThat(refused(large(3))).isEqualTo(503);
      end.countDown();
      for (Future<Boolean> search : running) {
        assertThat(search.get()).isTrue();
      }
      assertThat(scans.run(LARGE, STAYS, () -> true)).isTrue();
    } finally {
      callers.shutdownNow();
    }
  }

  private int refused(ScanThreads.Size size) {
    return catchThrowableOfType(ApiException.class, () -> scans.run(size, STAYS, () -> true))
        .error()
        .status();
  }

  private void await(long project, int count) {
    while (scans.waitingOrRunning(project) < count) {
      Thread.onSpinWait();
    }
  }

  private static boolean waitFor(CountDownLatch end) {
    try {
      end.await();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }
}
