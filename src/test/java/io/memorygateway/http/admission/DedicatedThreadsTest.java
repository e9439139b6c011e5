package io.memorygateway.http.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
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

/** Long work runs apart, some at once, some waiting, and ends when nobody waits for it. */
class DedicatedThreadsTest {
  private static final ClientPresence STAYS = onLeaving -> () -> {};

  private final DedicatedThreads threads =
      new DedicatedThreads(
          "long-work", 2, 32, () -> new ApiException(ApiError.unavailable("x", 1)));

  @AfterEach
  void stop() {
    threads.close();
  }

  @Test
  void theWorkIsDoneOnAnotherPlatformThread() {
    Thread worker = threads.run(1, STAYS, Thread::currentThread);

    assertThat(worker).isNotSameAs(Thread.currentThread());
    assertThat(worker.getName()).isEqualTo("long-work");
  }

  @Test
  void whatItThrowsIsThrown() {
    ApiException failure = new ApiException(ApiError.unavailable("x", 1));

    assertThat(
            catchThrowableOfType(
                ApiException.class,
                () ->
                    threads.run(
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
                        threads.run(
                            1,
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
    assertThat(threads.waitingOrRunning(1)).isZero();
  }

  @Test
  void whoWaitsForABoundedTimeGoesOnAndTheWorkIsDoneForOthers() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    assertThat(
            threads.runWithin(
                Duration.ofMillis(1),
                1,
                () -> {
                  done.complete(waitFor(end));
                  return true;
                }))
        .isEmpty();
    end.countDown();
    assertThat(done.get()).isTrue();
    assertThat(threads.runWithin(Duration.ofMinutes(1), 1, () -> true)).hasValue(true);
  }

  @Test
  void aProjectTakesNotAllPlacesAndWhatIsTooMuchIsRefused() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    ExecutorService callers = Executors.newCachedThreadPool();
    try {
      List<Future<Boolean>> running = new ArrayList<>();
      for (int i = 0; i < 18; i++) {
        running.add(callers.submit(() -> threads.run(1, STAYS, () -> waitFor(end))));
      }
      await(1, 18);
      assertThat(catchThrowableOfType(ApiException.class, () -> threads.run(1, STAYS, () -> true)))
          .extracting(e -> e.error().status())
          .isEqualTo(503);
      for (int i = 0; i < 16; i++) {
        running.add(callers.submit(() -> threads.run(2, STAYS, () -> waitFor(end))));
      }
      await(2, 16);
      assertThat(catchThrowableOfType(ApiException.class, () -> threads.run(3, STAYS, () -> true)))
          .isNotNull();
      end.countDown();
      for (Future<Boolean> call : running) {
        assertThat(call.get()).isTrue();
      }
      assertThat(threads.run(1, STAYS, () -> true)).isTrue();
    } finally {
      callers.shutdownNow();
    }
  }

  private void await(long project, int count) {
    while (threads.waitingOrRunning(project) < count) {
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
