package io.memorygateway.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.concurrent.CallerShares.Full;
import io.memorygateway.concurrent.Shares.Limit;
import io.memorygateway.concurrent.Shares.Share;
import io.memorygateway.testing.TestTimeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Two may wait for one holder; all together hold two. */
class SharesTest {
  private static final long LONG = TestTimeout.DEFAULT.toNanos();
  private static final Limit ALL = new Limit("all", 2);
  private static final Limit LARGE = new Limit("large", 2);
  private static final Limit SMALL = new Limit("small", 1);

  @AutoClose("shutdownNow")
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private final Shares shares = new Shares(2);

  private Share held(Limit... limits) {
    Share share = shares.open(limits);
    assertThat(share.acquire(0)).isNull();
    return share;
  }

  /** Begins to wait; the future has what was exceeded in the end. */
  private Future<Limit> waiting(Share share) {
    int before = shares.waiting();
    Future<Limit> result = threads.submit(() -> share.acquire(LONG));
    await().until(() -> shares.waiting() == before + 1);
    return result;
  }

  @Test
  void noHolderExceedsItsLimit() {
    Share small = held(SMALL, ALL);
    assertThat(shares.open(SMALL, ALL).acquire(0)).isEqualTo(SMALL);
    Share large = held(LARGE, ALL);
    assertThat(shares.open(LARGE, ALL).acquire(0)).isEqualTo(ALL);

    small.close();
    large.close();
    assertThat(shares.holders()).isZero();
  }

  @Test
  void whatIsGivenBackTwiceCountsOnce() {
    Share first = held(SMALL);
    first.close();
    Share second = held(SMALL);
    first.close();
    assertThat(shares.open(SMALL).acquire(0)).isEqualTo(SMALL);
    second.close();
  }

  @Test
  void whatIsGivenBackGoesToWhomHoldsLeast() throws Exception {
    Share first = held(LARGE, ALL);
    Share second = held(LARGE, ALL);
    Share third = shares.open(new Limit("large", 3), ALL);
    Future<Limit> more = waiting(third);
    Share other = shares.open(SMALL, ALL);
    Future<Limit> nothingYet = waiting(other);

    first.close();
    assertThat(nothingYet.get(TestTimeout.SECONDS, TimeUnit.SECONDS)).isNull();
    assertThat(more.isDone()).isFalse();

    second.close();
    assertThat(more.get(TestTimeout.SECONDS, TimeUnit.SECONDS)).isNull();
    third.close();
    other.close();
    assertThat(shares.holders()).isZero();
  }

  @Test
  void whoWaitsForItsOwnKeepsNobodyOut() throws Exception {
    Share small = held(SMALL, ALL);
    Share next = shares.open(SMALL, ALL);
    Future<Limit> own = waiting(next);

    held(LARGE, ALL).close();
    assertThat(own.isDone()).isFalse();
    small.close();
    assertThat(own.get(TestTimeout.SECONDS, TimeUnit.SECONDS)).isNull();
    next.close();
  }

  @Test
  void aWaitEndsAndIsForgotten() {
    Share small = held(SMALL, ALL);
    assertThat(shares.open(SMALL, ALL).acquire(1)).isEqualTo(SMALL);
    small.close();
    assertThat(shares.waiting()).isZero();
    assertThat(shares.holders()).isZero();
  }

  @Test
  void whoIsInterruptedWaitsNoLonger() throws Exception {
    Share small = held(SMALL);
    Future<?> waiter = waiting(shares.open(SMALL));
    waiter.cancel(true);
    await().until(() -> shares.waiting() == 0);
    small.close();
    assertThat(shares.holders()).isZero();
  }

  @Test
  void tooManyThatWaitAreRefusedAtOnce() throws Exception {
    Share small = held(SMALL, ALL);
    List<Share> waiters = List.of(shares.open(SMALL, ALL), shares.open(SMALL, ALL));
    List<Future<Limit>> results = new ArrayList<>();
    waiters.forEach(waiter -> results.add(waiting(waiter)));

    assertThat(shares.open(SMALL, ALL).acquire(LONG)).isEqualTo(SMALL);

    small.close();
    for (int i = 0; i < waiters.size(); i++) {
      assertThat(results.get(i).get(TestTimeout.SECONDS, TimeUnit.SECONDS)).isNull();
      waiters.get(i).close();
    }
    assertThat(shares.holders()).isZero();
  }

  @Test
  void theLimitHoldsWhateverTheThreadsDo() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Shares many = new Shares(100);
    List<Future<?>> workers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Limit own = new Limit(i % 4, 1);
      workers.add(
          threads.submit(
              () -> {
                for (int round = 0; round < 2_000; round++) {
                  try (Share share = many.open(own, ALL)) {
                    assertThat(share.acquire(LONG)).isNull();
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    inside.decrementAndGet();
                  }
                }
              }));
    }
    for (Future<?> worker : workers) {
      worker.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    }
    assertThat(most.get()).isLessThanOrEqualTo(2);
    assertThat(many.holders()).isZero();
  }

  @Test
  void aKeyHasHalfAndAProjectThreeQuartersOfAll() {
    CallerShares callers = new CallerShares(8, Duration.ZERO);
    List<CallerShares.Held> held = new ArrayList<>();
    assertThat(until(callers, 1, 1, held)).isEqualTo(Full.KEY);
    assertThat(held).hasSize(4);
    assertThat(until(callers, 2, 1, held)).isEqualTo(Full.PROJECT);
    assertThat(held).hasSize(6);
    assertThat(until(callers, 3, 2, held)).isEqualTo(Full.ALL);
    assertThat(held).hasSize(8);

    assertThat(callers.held()).isEqualTo(8);
    assertThat(callers.refused(Full.KEY)).isEqualTo(1);
    held.forEach(CallerShares.Held::close);
    assertThat(callers.held()).isZero();
  }

  @Test
  void aCallWaitsForNoLongerThanItMayTake() {
    CallerShares callers = new CallerShares(2, Duration.ofDays(1));
    assertThat(callers.open(1, 1).acquire()).isNull();
    assertThat(callers.open(1, 1).acquire(1)).isEqualTo(Full.KEY);
    assertThat(callers.open(1, 1).acquire(0)).isEqualTo(Full.KEY);
    assertThat(callers.waiting()).isZero();
  }

  @Test
  void whoIsClosedWhileItWaitsGetsNothing() throws Exception {
    Share first = held(SMALL);
    Share second = shares.open(SMALL);
    Future<Limit> waiting = threads.submit(() -> second.acquire(LONG));
    await().until(() -> shares.waiting() == 1);
    second.close();
    assertThat(shares.waiting()).isZero();
    first.close();
    assertThat(shares.held("small")).isZero();
    threads.shutdownNow();
    assertThat(waiting.get()).isEqualTo(SMALL);
  }

  /** Acquires shares until one is refused. */
  private static Full until(
      CallerShares callers, long key, long project, List<CallerShares.Held> held) {
    while (true) {
      CallerShares.Held share = callers.open(key, project);
      Full full = share.acquire();
      if (full != null) {
        return full;
      }
      held.add(share);
    }
  }
}
