package io.memorygateway.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.TestTimeout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Eight permits, of which one key may hold six, ten for a key that is alone, and a set clock. */
@Timeout(TestTimeout.SECONDS)
final class KeyedPermitsTest {
  private static final int PERMITS = 8;
  private static final int OF_ONE_KEY = 6;
  private static final int MOST = 10;
  private static final int MAX_WAITING = 20;
  private static final long MAX_WAIT = TimeUnit.SECONDS.toNanos(2);
  private static final long HEAVY = 1;
  private static final long LIGHT = 2;

  private final AtomicLong clock = new AtomicLong();
  private final KeyedPermits permits =
      new KeyedPermits(
          new PermitNumber(PERMITS, MOST, () -> 1, 0), MAX_WAIT, MAX_WAITING, clock::get);
  private final List<String> granted = new ArrayList<>();

  KeyedPermitsTest() {
    permits.acquire(LIGHT).close();
    permits.acquire(HEAVY).close();
  }

  @Test
  void aKeyThatIsAloneHasMore() {
    clock.addAndGet(KeyedPermits.ALONE_NANOS);
    permits.tick();
    List<KeyedPermits.Permit> held = hold(HEAVY, MOST);
    Asked next = ask(HEAVY, "next");
    assertThat(next.isOver()).isFalse();

    held.get(0).close();

    assertThat(next.permit()).isNotNull();
  }

  @Test
  void aKeyThatComesToItWaitsUntilThereAreFewer() {
    clock.addAndGet(KeyedPermits.ALONE_NANOS);
    permits.tick();
    List<KeyedPermits.Permit> held = hold(HEAVY, MOST);
    Asked light = ask(LIGHT, "light");

    held.subList(0, MOST - PERMITS).forEach(KeyedPermits.Permit::close);
    assertThat(light.isOver()).isFalse();
    held.get(MOST - PERMITS).close();

    assertThat(light.permit()).isNotNull();
  }

  @Test
  void oneKeyLeavesAQuarterToTheOthers() {
    List<KeyedPermits.Permit> heavy = hold(HEAVY, OF_ONE_KEY);
    Asked next = ask(HEAVY, "heavy");

    permits.acquire(LIGHT);
    permits.acquire(LIGHT);

    assertThat(next.isOver()).isFalse();
    heavy.get(0).close();
    assertThat(next.permit()).isNotNull();
  }

  @Test
  void keysTakeTurnsHoweverManyOfOneWait() {
    List<KeyedPermits.Permit> held = hold(HEAVY, OF_ONE_KEY);
    hold(LIGHT, 2);
    for (int i = 0; i < 5; i++) {
      ask(HEAVY, "heavy");
    }
    ask(3, "other");

    held.get(0).close();
    held.get(1).close();
    awaitGranted(2);

    assertThat(granted).containsExactlyInAnyOrder("heavy", "other");
  }

  @Test
  void theOldestIsServedFirstUntilItHasWaitedLong() {
    List<KeyedPermits.Permit> held = hold(HEAVY, OF_ONE_KEY);
    for (int i = 0; i < 4; i++) {
      ask(HEAVY, "asked " + i);
    }

    held.get(0).close();
    awaitGranted(1);
    clock.addAndGet(KeyedPermits.LATE_NANOS + 1);
    held.get(1).close();
    awaitGranted(2);

    assertThat(granted).containsExactly("asked 0", "asked 3");
  }

  @Test
  void whoReturnsComesBeforeThoseOfItsKeyWhoHaveNotBegun() {
    List<KeyedPermits.Permit> held = hold(HEAVY, OF_ONE_KEY);
    held.get(0).pause();
    hold(HEAVY, 1);
    ask(HEAVY, "new");
    CompletableFuture<Void> back = CompletableFuture.runAsync(() -> resume(held.get(0)));
    awaitWaiting(2);

    held.get(1).close();
    back.join();

    assertThat(granted).containsExactly("returned");
  }

  @Test
  void aPausedPermitIsFreeForAnother() {
    List<KeyedPermits.Permit> held = hold(HEAVY, OF_ONE_KEY);
    Asked next = ask(HEAVY, "next");

    held.get(0).pause();

    assertThat(next.permit()).isNotNull();
  }

  @Test
  void workThatTakesLongIsNotCounted() {
    hold(HEAVY, OF_ONE_KEY);
    Asked next = ask(HEAVY, "next");

    clock.addAndGet(KeyedPermits.LAPSE_NANOS);
    permits.tick();

    assertThat(next.permit()).isNotNull();
    assertThat(permits.state().held()).isEqualTo(1);
  }

  @Test
  void aLapsedPermitIsNotGivenBackTwice() {
    List<KeyedPermits.Permit> held = hold(HEAVY, OF_ONE_KEY);
    clock.addAndGet(KeyedPermits.LAPSE_NANOS);
    permits.tick();

    held.get(0).pause();
    held.get(0).resume();
    held.forEach(KeyedPermits.Permit::close);
    held.forEach(KeyedPermits.Permit::close);

    assertThat(permits.state()).isEqualTo(new KeyedPermits.State(PERMITS, 0, 0, 0));
  }

  @Test
  void whoHasWaitedTooLongIsRefused() {
    hold(HEAVY, OF_ONE_KEY);
    Asked late = ask(HEAVY, "late");

    clock.addAndGet(MAX_WAIT + 1);
    permits.tick();

    assertThat(late.permit()).isNull();
    assertThat(permits.state().refused()).isEqualTo(1);
  }

  @Test
  void theWaitEndsAlsoWhenNobodyTicks() {
    hold(HEAVY, OF_ONE_KEY);
    Asked late = ask(HEAVY, "late");

    clock.addAndGet(MAX_WAIT + 1);

    assertThat(late.permit()).isNull();
  }

  @Test
  void whoReturnsAndHasWaitedTooLongGoesOnUncounted() {
    KeyedPermits.Permit paused = hold(HEAVY, 1).get(0);
    paused.pause();
    hold(HEAVY, OF_ONE_KEY);
    hold(LIGHT, 2);
    CompletableFuture<Void> back = CompletableFuture.runAsync(() -> resume(paused));
    awaitWaiting(1);
    Asked next = ask(HEAVY, "next");

    clock.addAndGet(MAX_WAIT + 1);
    permits.tick();
    back.join();

    assertThat(next.permit()).isNull();
    assertThat(permits.state()).isEqualTo(new KeyedPermits.State(PERMITS, 0, 0, 1));
  }

  @Test
  void whatTakesLongCostsItsOwnKeyInTheEnd() {
    for (int i = 0; i < MAX_WAITING / 2; i++) {
      hold(HEAVY, 1);
      clock.addAndGet(KeyedPermits.LAPSE_NANOS);
      permits.tick();
    }

    Asked heavy = ask(HEAVY, "heavy");
    hold(LIGHT, OF_ONE_KEY);

    assertThat(heavy.isOver()).isFalse();
  }

  @Test
  void oneTooManyWaitingRefusesTheOldestOfTheLongestQueue() {
    hold(HEAVY, OF_ONE_KEY);
    hold(LIGHT, 2);
    Asked oldest = ask(HEAVY, "oldest");
    List<Asked> younger = ask(HEAVY, MAX_WAITING / 2 - 1);
    List<Asked> light = ask(LIGHT, MAX_WAITING / 2 - 1);
    ask(3, "other");
    assertThat(oldest.isOver()).isFalse();

    ask(4, "newest");

    assertThat(oldest.permit()).isNull();
    assertThat(light).noneMatch(Asked::isOver);
    assertThat(younger).noneMatch(Asked::isOver);
  }

  /** What another thread asked for. */
  private record Asked(CompletableFuture<KeyedPermits.Permit> future) {
    KeyedPermits.Permit permit() {
      return future.join();
    }

    boolean isOver() {
      return future.isDone();
    }
  }

  private List<KeyedPermits.Permit> hold(long key, int count) {
    List<KeyedPermits.Permit> held = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      held.add(permits.acquire(key));
    }
    return held;
  }

  /** Has another thread ask, and returns when it waits, or when a wait has ended. */
  private Asked ask(long key, String name) {
    KeyedPermits.State before = permits.state();
    CompletableFuture<KeyedPermits.Permit> permit = new CompletableFuture<>();
    inThread(
        () -> {
          KeyedPermits.Permit got = permits.acquire(key);
          if (got != null) {
            note(name);
          }
          permit.complete(got);
        });
    while (permits.state().equals(before)) {
      Thread.onSpinWait();
    }
    return new Asked(permit);
  }

  private List<Asked> ask(long key, int count) {
    List<Asked> asked = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      asked.add(ask(key, "one of many"));
    }
    return asked;
  }

  private void resume(KeyedPermits.Permit permit) {
    permit.resume();
    note("returned");
  }

  private synchronized void note(String name) {
    granted.add(name);
  }

  private synchronized int grants() {
    return granted.size();
  }

  private void awaitGranted(int count) {
    while (grants() < count) {
      Thread.onSpinWait();
    }
  }

  private void awaitWaiting(int count) {
    while (permits.state().waiting() < count) {
      Thread.onSpinWait();
    }
  }

  private static void inThread(Runnable work) {
    Thread thread = new Thread(work, "asks");
    thread.setDaemon(true);
    thread.start();
  }
}
