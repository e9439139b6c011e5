package io.memorygateway.database;

import io.memorygateway.testing.TestTimeout;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class CleanerTest {
  @Test
  @Timeout(TestTimeout.SECONDS)
  void goesOnAfterAFailureOfAnyKind() throws InterruptedException {
    CountDownLatch runs = new CountDownLatch(3);
    ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
    try {
      new Cleaner(
              "rows",
              Duration.ofMillis(1),
              () -> {
                runs.countDown();
                throw new IllegalStateException("a defect");
              },
              executor)
          .start();
      runs.await();
    } finally {
      executor.shutdownNow();
    }
  }
}
