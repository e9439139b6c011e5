package io.memorygateway.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.testing.TestTimeout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class GroupCommitTest {
  @AutoClose("shutdownNow")
  private final ExecutorService callers = Executors.newCachedThreadPool();

  private final List<List<Integer>> rounds = Collections.synchronizedList(new ArrayList<>());

  @Test
  void whoComesAloneDoesTheWorkAtOnceInTheirOwnThread() {
    List<Thread> workers = new ArrayList<>();
    GroupCommit<Integer> commit =
        new GroupCommit<>(8, items -> workers.add(Thread.currentThread()));
    commit.perform(1);
    assertThat(workers).containsExactly(Thread.currentThread());
  }

  @Test
  void whoComesMeanwhileIsDoneTogetherInTheNextRoundsInOrder() throws Exception {
    CountDownLatch firstRound = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    GroupCommit<Integer> commit =
        new GroupCommit<>(
            3,
            items -> {
              rounds.add(List.copyOf(items));
              firstRound.countDown();
              await(goOn);
            });
    List<Future<?>> done = new ArrayList<>();
    done.add(callers.submit(() -> commit.perform(0)));
    await(firstRound);
    for (int i = 1; i <= 4; i++) {
      int item = i;
      CountDownLatch started = new CountDownLatch(1);
      List<Thread> thread = Collections.synchronizedList(new ArrayList<>());
      done.add(
          callers.submit(
              () -> {
                thread.add(Thread.currentThread());
                started.countDown();
                commit.perform(item);
              }));
      await(started);
      Awaitility.await().until(() -> thread.get(0).getState() == Thread.State.WAITING);
    }
    goOn.countDown();
    for (Future<?> each : done) {
      each.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    }
    assertThat(rounds).containsExactly(List.of(0), List.of(1, 2, 3), List.of(4));
  }

  @Test
  void eachOfManyIsDoneOnce() throws Exception {
    List<Integer> worked = Collections.synchronizedList(new ArrayList<>());
    GroupCommit<Integer> commit = new GroupCommit<>(7, worked::addAll);
    List<Future<?>> done = new ArrayList<>();
    for (int caller = 0; caller < 16; caller++) {
      int first = caller * 1000;
      done.add(
          callers.submit(
              () -> {
                for (int i = 0; i < 1000; i++) {
                  commit.perform(first + i);
                }
              }));
    }
    for (Future<?> each : done) {
      each.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    }
    assertThat(worked).hasSize(16_000).doesNotHaveDuplicates();
  }

  @Test
  void whatTheWorkThrowsReachesThoseWhoTookPartAndNobodyElse() {
    GroupCommit<Integer> commit =
        new GroupCommit<>(
            8,
            items -> {
              if (items.contains(1)) {
                throw new IllegalStateException("no");
              }
            });
    assertThatThrownBy(() -> commit.perform(1)).hasMessage("no");
    commit.perform(2);
  }

  @Test
  void anErrorInTheWorkDoesNotLeaveAnybodyWaiting() {
    GroupCommit<Integer> commit =
        new GroupCommit<>(
            8,
            items -> {
              if (items.contains(1)) {
                throw new StackOverflowError();
              }
            });
    assertThatThrownBy(() -> commit.perform(1)).isInstanceOf(StackOverflowError.class);
    commit.perform(2);
  }

  @Test
  void anInterruptedCallerGetsItsResultAndStaysInterrupted() {
    GroupCommit<Integer> commit = new GroupCommit<>(8, rounds::add);
    Thread.currentThread().interrupt();
    commit.perform(1);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(rounds).hasSize(1);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(TestTimeout.SECONDS, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
