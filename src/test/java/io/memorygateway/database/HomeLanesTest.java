package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class HomeLanesTest {
  private static final List<Long> IDS =
      List.of(new Home(1).first(), new Home(2).first(), new Home(1).first() + 1);

  private final HomeLanes lanes = new HomeLanes("lanes", "Work failed");

  @AutoClose("shutdownNow")
  private final ExecutorService pool = Executors.newCachedThreadPool();

  private final Queue<List<Long>> done = new ConcurrentLinkedQueue<>();

  @Test
  void homesThatHangKeepNoOtherFromItsTurnAndAreNotBegunAgain() {
    CountDownLatch hanging = new CountDownLatch(1);
    CompletableFuture<Void> first = lanes.begin(IDS, id -> id, ids -> hang(ids, hanging));

    lanes.begin(IDS, id -> id, done::add).join();
    for (int i = 0; i < 3; i++) {
      lanes.begin(List.of(5L), id -> id, done::add).join();
    }
    assertThat(first).isNotDone();
    assertThat(done).containsExactly(List.of(5L), List.of(5L), List.of(5L));

    hanging.countDown();
    first.join();
    assertThat(done).hasSize(5).contains(List.of(IDS.get(0), IDS.get(2)), List.of(IDS.get(1)));
    lanes.begin(IDS, id -> id, done::add).join();
    assertThat(done).hasSize(7);
  }

  private void hang(List<Long> ids, CountDownLatch latch) {
    try {
      latch.await();
      done.add(ids);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aHomeThatFailsIsToldAndHasItsTurnAgain() {
    CompletableFuture<Void> failing =
        lanes.begin(
            IDS,
            id -> id,
            ids -> {
              if (ids.size() == 1) {
                throw new IllegalStateException("away");
              }
              done.add(ids);
            });
    assertThatThrownBy(failing::join).hasRootCauseMessage("away");
    assertThat(done).hasSize(1);
    lanes.begin(IDS, id -> id, done::add).join();
    assertThat(done).hasSize(3);
  }

  @Test
  void aHomeForWhichNoThreadCanBeStartedHasItsTurnAgain() {
    Queue<Executor> executors = new ArrayDeque<>();
    executors.add(
        work -> {
          throw new OutOfMemoryError("unable to create native thread");
        });
    HomeLanes starting =
        new HomeLanes(
            work -> Objects.requireNonNullElse(executors.poll(), Runnable::run).execute(work),
            "Work failed",
            new ConcurrentHashMap<>());

    CompletableFuture<Void> failing = starting.begin(IDS, id -> id, done::add);
    assertThatThrownBy(failing::join).hasRootCauseInstanceOf(OutOfMemoryError.class);
    assertThat(done).containsExactly(List.of(IDS.get(1)));
    starting.begin(IDS, id -> id, done::add).join();
    assertThat(done).hasSize(3);
  }

  @Test
  void whatFailsBeforeAnyWorkIsBegunAgain() {
    AtomicInteger begun = new AtomicInteger();
    ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    try {
      var unused =
          lanes.repeat(
              clock,
              1,
              () -> {
                if (begun.getAndIncrement() == 0) {
                  throw new OutOfMemoryError("no room");
                }
                return lanes.begin(IDS, id -> id, done::add);
              });
      await().until(() -> done.size() >= 2);
    } finally {
      clock.shutdownNow();
    }
  }

  @Test
  void lanesOfOnePoolWorkOnAHomeTwoAtATime() {
    Map<Home, Semaphore> turns = new ConcurrentHashMap<>();
    CountDownLatch hanging = new CountDownLatch(1);
    List<Long> ofHome = List.of(IDS.get(0));
    List<CompletableFuture<Void>> first = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      HomeLanes some = new HomeLanes(pool, "Work failed", turns);
      first.add(some.begin(ofHome, id -> id, ids -> hang(ids, hanging)));
    }
    await().until(() -> turns.get(new Home(1)) != null);
    await().until(() -> turns.get(new Home(1)).availablePermits() == 0);

    HomeLanes others = new HomeLanes(pool, "Work failed", turns);
    CompletableFuture<Void> second = others.begin(IDS, id -> id, done::add);
    await().until(() -> turns.get(new Home(1)).hasQueuedThreads());
    await().until(() -> done.contains(List.of(IDS.get(1))));
    hanging.countDown();
    first.forEach(CompletableFuture::join);
    second.join();
    assertThat(done).hasSize(4).startsWith(List.of(IDS.get(1)), ofHome);
  }
}
