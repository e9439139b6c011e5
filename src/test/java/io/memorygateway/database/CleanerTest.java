package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.TestTimeout;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;
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

  @Test
  void ofFailuresInARowFewerAndFewerAreWorthALine() {
    FailuresInARow failures = new FailuresInARow();

    assertThat(IntStream.rangeClosed(1, 1000).filter(i -> failures.isWorthALine()))
        .containsExactly(1, 2, 4, 8, 16, 32, 64, 128, 256, 512);
    failures.end();
    assertThat(failures.isWorthALine()).isTrue();
  }
}
