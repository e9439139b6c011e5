package io.memorygateway.http.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.testing.TestTimeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Long work runs apart, some at once, some waiting, and ends when nobody waits for it. */
class DedicatedThreadsTest {
  private static final ClientPresence STAYS = onLeaving -> () -> {};

  private final DedicatedThreads threads =
      new DedicatedThreads(
          "long-work", 4, 32, () -> new ApiException(ApiError.unavailable("x", 1)));

  private final ExecutorService callers = Executors.newCachedThreadPool();
  private final List<Future<Boolean>> calls = new ArrayList<>();
  private final List<String> order = Collections.synchronizedList(new ArrayList<>());
  private final Semaphore end = new Semaphore(0);

  @AfterEach
  void stop() {
    end.release(calls.size());
    callers.shutdownNow();
    threads.close();
  }

  @Test
  void theWorkIsDoneOnAnotherPlatformThread() {
    Thread worker = threads.run(1, 1, STAYS, Thread::currentThread);

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
    await().until(() -> threads.waitingOrRunning(1) == 0);
  }

  @Test
  void whoWaitsForABoundedTimeGoesOnAndTheWorkIsDoneForOthers() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    assertThat(
            threads.runWithin(
                Duration.ofMillis(1),
                1,
                1,
                () -> {
                  done.complete(waitFor(end));
                  return true;
                }))
        .isEmpty();
    end.countDown();
    assertThat(done.get()).isTrue();
    assertThat(threads.runWithin(Duration.ofMinutes(1), 1, 1, () -> true)).hasValue(true);
  }

  @Test
  void oneProjectNeverHasAllOfFewThreads() {
    DedicatedThreads few =
        new DedicatedThreads("few", 2, 4, () -> new ApiException(ApiError.unavailable("x", 1)));
    CountDownLatch held = new CountDownLatch(1);
    try {
      for (long key = 1; key <= 2; key++) {
        assertThat(few.runWithin(Duration.ofMillis(1), key, 1, () -> waitFor(held))).isEmpty();
      }
      assertThat(few.runWithin(TestTimeout.DEFAULT, 3, 2, () -> true)).hasValue(true);
    } finally {
      held.countDown();
      few.close();
    }
  }

  @Test
  void aKeyHasHalfAndAProjectThreeQuartersOfThreadsAndPlaces() throws Exception {
    // Two run, and sixteen wait; of the project's second key one runs, and eight wait.
    callAndAwait(1, 1, 18);
    await().until(() -> order.size() == 2);
    assertThat(order).containsExactly("1", "1");
    isRefused(1, 1);
    callAndAwait(2, 1, 9);
    await().until(() -> order.size() == 3);
    isRefused(2, 1);
    // Another project finds a thread, and eight places.
    callAndAwait(3, 2, 9);
    await().until(() -> order.size() == 4);
    assertThat(order).containsExactly("1", "1", "2", "3");
    isRefused(3, 2);
    isRefused(4, 3);

    end.release(calls.size());
    for (Future<Boolean> call : calls) {
      assertThat(call.get()).isTrue();
    }
    assertThat(threads.run(1, 1, STAYS, () -> true)).isTrue();
  }

  @Test
  void whoHoldsLeastIsNext() throws Exception {
    callAndAwait(1, 1, 8);
    callAndAwait(2, 2, 8);
    callAndAwait(3, 3, 1);
    await().until(() -> order.size() == 4);
    end.release();
    await().until(() -> order.size() == 5);
    assertThat(order).last().isEqualTo("3");
  }

  private void callAndAwait(long key, long project, int count) {
    int before = threads.waitingOrRunning(project);
    for (int i = 0; i < count; i++) {
      calls.add(callers.submit(() -> call(key, project)));
    }
    await().until(() -> threads.waitingOrRunning(project) == before + count);
  }

  private boolean call(long key, long project) {
    return threads.run(
        key,
        project,
        STAYS,
        () -> {
          order.add(String.valueOf(key));
          end.acquireUninterruptibly();
          return true;
        });
  }

  private void isRefused(long key, long project) {
    assertThat(
            catchThrowableOfType(
                ApiException.class, () -> threads.run(key, project, STAYS, () -> true)))
        .extracting(refused -> refused.error().status())
        .isEqualTo(503);
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
