package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.http.errors.ApiException;
import io.memorygateway.testing.TestTimeout;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class ConnectionSharesTest {
  @AutoClose("shutdownNow")
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private final AtomicLong now = new AtomicLong();
  private final ConnectionShares shares =
      new ConnectionShares(6, new PrometheusRegistry(), now::get);

  @Test
  void aProjectHoldsNoMoreThanHalfOfThePool() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    List<Future<?>> holders = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      holders.add(hold(1, "t" + i, go));
    }

    // Of that time it keeps back what connecting may take, so it waits for half a second.
    Deadline near = Deadline.in(Duration.ofMillis(3_500));
    assertThatThrownBy(() -> use(1, "other", near)).isInstanceOf(ApiException.class);
    assertThat(use(2, "t0")).isTrue();

    go.countDown();
    for (Future<?> holder : holders) {
      holder.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    }
    assertThat(use(1, "other")).isTrue();
    assertThat(shares.size()).isZero();
  }

  /** Whichever projects hang because their shard does, those of other homes are served. */
  @Test
  void projectsOfAHomeHoldNoMoreThanItsPartOfThePool() throws Exception {
    long hanging = new Home(7).first();
    assertThat(use(1, "t0")).isTrue();
    CountDownLatch go = new CountDownLatch(1);
    List<Future<?>> holders = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      holders.add(hold(hanging + i, "t0", go));
    }

    Deadline near = Deadline.in(Duration.ofMillis(3_500));
    assertThatThrownBy(() -> use(hanging + 3, "t0", near)).isInstanceOf(ApiException.class);
    for (int i = 0; i < 3; i++) {
      holders.add(hold(1 + i, "t0", go));
    }

    go.countDown();
    for (Future<?> holder : holders) {
      holder.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    }
    assertThat(use(hanging + 3, "t0")).isTrue();
    assertThat(shares.size()).isZero();
  }

  /** Whoever waited would have a permit of the node meanwhile, which others could have. */
  @Test
  void aHomeThatHasNotAnsweredForASecondIsNotWaitedFor() throws Exception {
    long hanging = new Home(7).first();
    assertThat(use(1, "t0")).isTrue();
    assertThat(use(hanging, "t0")).isTrue();
    now.addAndGet(Duration.ofHours(1).toNanos());
    CountDownLatch go = new CountDownLatch(1);
    List<Future<?>> holders = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      holders.add(hold(hanging + i, "t0", go));
    }
    // It is asked only since now, so it is waited for.
    Future<Boolean> waits = threads.submit(() -> use(hanging + 3, "t0", Deadline.in(LONG)));
    // Threads and projects of all four, and the home.
    Awaitility.await().until(() -> shares.size() == 9);

    now.addAndGet(Duration.ofSeconds(2).toNanos());
    Future<Boolean> refused = threads.submit(() -> use(hanging + 4, "t0", Deadline.in(LONG)));
    assertThatThrownBy(() -> result(refused)).hasRootCauseInstanceOf(ApiException.class);
    assertThat(use(1, "t0")).isTrue();

    go.countDown();
    for (Future<?> holder : holders) {
      holder.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    }
    assertThat(result(waits)).isTrue();
    assertThat(use(hanging + 4, "t0")).isTrue();
    assertThat(shares.size()).isZero();
  }

  @Test
  void aProjectWaitsForItsShareUntilItsDeadline() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    List<Future<?>> holders = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      holders.add(hold(1, "t" + i, go));
    }
    Deadline late = Deadline.in(Duration.ofSeconds(60));
    Future<Boolean> waiter =
        threads.submit(
            () -> {
              shares.open(1, "other", Duration.ZERO);
              return shares.use(false, late, this::yes);
            });

    assertThatThrownBy(() -> waiter.get(2, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
    go.countDown();

    assertThat(waiter.get(TestTimeout.SECONDS, TimeUnit.SECONDS)).isTrue();
    for (Future<?> holder : holders) {
      holder.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    }
  }

  @Test
  void writesToAThreadWaitWithoutAConnectionOfTheirProject() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    List<Future<?>> holders = new ArrayList<>();
    holders.add(hold(1, "locked", go));
    holders.add(hold(1, "locked", go));
    Future<Boolean> third = threads.submit(() -> use(1, "locked"));

    // One connection of the project is left, whatever waits for the thread.
    assertThat(use(1, "free")).isTrue();
    assertThatThrownBy(() -> result(third)).hasRootCauseInstanceOf(ApiException.class);

    go.countDown();
    for (Future<?> holder : holders) {
      holder.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    }
  }

  @Test
  void workInsideOfWorkTakesNoSecondShare() {
    ConnectionShares.Account account = shares.open(1, "t", Duration.ZERO);
    boolean done =
        shares.use(
            true,
            soon(),
            () ->
                shares.use(
                    true,
                    soon(),
                    () -> shares.use(true, soon(), () -> shares.use(true, soon(), this::yes))));
    account.close();
    assertThat(done).isTrue();
    assertThat(shares.size()).isZero();
  }

  @Test
  void whatFailsGivesItsShareBack() {
    for (int i = 0; i < 20; i++) {
      ConnectionShares.Account account = shares.open(1, "t", Duration.ZERO);
      assertThatThrownBy(
              () ->
                  shares.use(
                      true,
                      soon(),
                      () -> {
                        throw new IllegalStateException();
                      }))
          .isInstanceOf(IllegalStateException.class);
      account.close();
    }
    assertThat(shares.size()).isZero();
  }

  private Future<?> hold(long project, String thread, CountDownLatch until) throws Exception {
    CountDownLatch holding = new CountDownLatch(1);
    Future<?> holder =
        threads.submit(
            () -> {
              ConnectionShares.Account account = shares.open(project, thread, Duration.ZERO);
              try {
                return shares.use(
                    true,
                    soon(),
                    () -> {
                      holding.countDown();
                      return awaited(until);
                    });
              } finally {
                account.close();
              }
            });
    assertThat(holding.await(TestTimeout.SECONDS, TimeUnit.SECONDS)).isTrue();
    return holder;
  }

  private static boolean awaited(CountDownLatch latch) {
    try {
      return latch.await(TestTimeout.SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private boolean use(long project, String thread) {
    return use(project, thread, soon());
  }

  private boolean use(long project, String thread, Deadline deadline) {
    ConnectionShares.Account account = shares.open(project, thread, Duration.ZERO);
    try {
      return shares.use(true, deadline, this::yes);
    } finally {
      account.close();
    }
  }

  private static final Duration LONG = TestTimeout.DEFAULT.multipliedBy(2);

  private static Deadline soon() {
    return Deadline.in(Duration.ofSeconds(60));
  }

  @Test
  void whatARequestHasWaitedBeforeIsTakenFromItsDeadline() {
    assertThat(shares.deadline().millisLeft()).isBetween(5_000L, 10_000L);

    ConnectionShares.Account account = shares.open(1, "t", Duration.ofSeconds(7));
    long left = shares.deadline().millisLeft();
    long inWork = shares.spend(true, Deadline::millisLeft);
    account.close();

    assertThat(left).isPositive().isLessThanOrEqualTo(3_000);
    assertThat(inWork).isPositive().isLessThanOrEqualTo(3_000);
    assertThat(shares.deadline().millisLeft()).isGreaterThan(5_000);
  }

  @Test
  void whatARequestWaitsAddsUp() {
    ConnectionShares.Account account = shares.open(1, "t", Duration.ofSeconds(5));
    for (int i = 0; i < 3; i++) {
      shares.spend(false, deadline -> waited(Duration.ofMillis(100)));
    }
    long left = shares.deadline().millisLeft();
    account.close();

    assertThat(left).isPositive().isLessThanOrEqualTo(4_700);
  }

  @Test
  void aDatabaseThatWorksServesEvenThoseWhoHaveNoTimeLeft() {
    ConnectionShares.Account account = shares.open(1, "t", Duration.ofSeconds(11));
    long left = shares.deadline().millisLeft();
    account.close();

    assertThat(left).isPositive();
  }

  @Test
  void aShareIsNotWaitedForByThoseWhoHaveNoTimeLeft() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    List<Future<?>> holders = new ArrayList<>();
    holders.add(hold(1, "locked", go));
    holders.add(hold(1, "locked", go));

    ConnectionShares.Account account = shares.open(1, "locked", Duration.ofSeconds(8));
    Deadline deadline = shares.deadline();
    assertThatThrownBy(() -> shares.use(true, deadline, this::yes))
        .isInstanceOf(ApiException.class);
    account.close();
    // Others wait for seconds.
    assertThat(deadline.millisLeft()).isPositive();

    go.countDown();
    for (Future<?> holder : holders) {
      holder.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    }
  }

  private static boolean waited(Duration time) {
    Deadline end = Deadline.in(time);
    while (end.atNanos() - System.nanoTime() > 0) {
      Thread.onSpinWait();
    }
    return true;
  }

  private boolean yes() {
    return true;
  }

  private static boolean result(Future<Boolean> future) throws Exception {
    return future.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
  }
}
