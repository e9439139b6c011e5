package io.memorygateway.http.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CountDownLatch;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Test;

class ServerSettingsTest {
  private static final int BURST = 100;

  @Test
  void threadsThatABurstLeavesIdleEndTogether() throws Exception {
    QueuedThreadPool pool = new QueuedThreadPool(2 * BURST, 1, 1000);
    HttpServerSetup.ServerSettings.endIdleThreadsTogether(new Server(pool));
    pool.start();
    try {
      CountDownLatch all = new CountDownLatch(BURST);
      CountDownLatch counted = new CountDownLatch(1);
      for (int i = 0; i < BURST; i++) {
        pool.execute(
            () -> {
              all.countDown();
              try {
                counted.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
      }
      all.await();
      assertThat(pool.getThreads()).isGreaterThanOrEqualTo(BURST);
      counted.countDown();

      // One a second would take a hundred.
      await().until(() -> pool.getThreads() <= 2);
    } finally {
      pool.stop();
    }
  }
}
