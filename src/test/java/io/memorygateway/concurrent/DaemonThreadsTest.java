package io.memorygateway.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.concurrent.DaemonThreads.Pool;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DaemonThreadsTest {
  /** More than any system gives: stands for one that has no thread left. */
  private static final long NO_SUCH_STACK = 1L << 50;

  @Test
  void whereThereIsNoThreadWorkIsRejectedAndTakesNoPlace() throws Exception {
    assertRejectsUntilThereAreThreads(0, new SynchronousQueue<>());
    assertRejectsUntilThereAreThreads(1, new LinkedBlockingQueue<>());
  }

  private static void assertRejectsUntilThereAreThreads(int min, BlockingQueue<Runnable> queue)
      throws Exception {
    boolean[] none = {true};
    ThreadFactory given = DaemonThreads.named("given");
    Pool pool =
        new Pool(
            min,
            1,
            queue,
            work ->
                none[0] ? new Thread(null, work, "none", NO_SUCH_STACK) : given.newThread(work));
    try {
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> pool.submit(() -> {}))
            .isInstanceOf(RejectedExecutionException.class);
      }
      none[0] = false;
      assertThat(pool.submit(() -> Thread.currentThread().getName()).get()).isEqualTo("given");
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void aThreadKeepsNoProcessAlive() throws Exception {
    CompletableFuture<Boolean> daemon = new CompletableFuture<>();
    DaemonThreads.named("daemon")
        .newThread(() -> daemon.complete(Thread.currentThread().isDaemon()))
        .start();
    assertThat(daemon.get(10, TimeUnit.SECONDS)).isTrue();
  }
}
