package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.http.ApiException;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ConnectionSharesTest {
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ConnectionShares shares = new ConnectionShares(6, new PrometheusRegistry());

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void aProjectHoldsNoMoreThanHalfOfThePool() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    List<Future<?>> holders = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      holders.add(hold(1, "t" + i, go));
    }

    assertThatThrownBy(() -> use(1, "other")).isInstanceOf(ApiException.class);
    assertThat(use(2, "t0")).isTrue();

    go.countDown();
    for (Future<?> holder : holders) {
      holder.get(30, TimeUnit.SECONDS);
    }
    assertThat(use(1, "other")).isTrue();
    assertThat(shares.size()).isZero();
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
      holder.get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void workInsideOfWorkTakesNoSecondShare() {
    ConnectionShares.Account account = shares.open(1, "t");
    boolean done =
        shares.use(
            true,
            () -> shares.use(true, () -> shares.use(true, () -> shares.use(true, this::yes))));
    account.close();
    assertThat(done).isTrue();
    assertThat(shares.size()).isZero();
  }

  @Test
  void whatFailsGivesItsShareBack() {
    for (int i = 0; i < 20; i++) {
      ConnectionShares.Account account = shares.open(1, "t");
      assertThatThrownBy(
              () ->
                  shares.use(
                      true,
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
              ConnectionShares.Account account = shares.open(project, thread);
              try {
                return shares.use(
                    true,
                    () -> {
                      holding.countDown();
                      return awaited(until);
                    });
              } finally {
                account.close();
              }
            });
    assertThat(holding.await(30, TimeUnit.SECONDS)).isTrue();
    return holder;
  }

  private static boolean awaited(CountDownLatch latch) {
    try {
      return latch.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private boolean use(long project, String thread) {
    ConnectionShares.Account account = shares.open(project, thread);
    try {
      return shares.use(true, this::yes);
    } finally {
      account.close();
    }
  }

  private boolean yes() {
    return true;
  }

  private static boolean result(Future<Boolean> future) throws Exception {
    return future.get(60, TimeUnit.SECONDS);
  }
}
