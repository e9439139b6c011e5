package io.memorygateway.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.TestTimeout;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BackgroundWriterTest {
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDefectDoesNotEndIt(boolean ofStack) throws Exception {
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch again = new CountDownLatch(2);
    BackgroundWriter writer =
        new BackgroundWriter("defective", Duration.ofSeconds(30)) {
          @Override
          protected void run() {
            again.countDown();
            if (runs.incrementAndGet() == 1) {
              if (ofStack) {
                throw new StackOverflowError("a defect");
              }
              throw new IllegalStateException("a defect");
            }
          }
        };

    writer.start();
    assertThat(again.await(TestTimeout.SECONDS, TimeUnit.SECONDS)).isTrue();
    writer.stop();

    assertThat(runs).hasValue(2);
  }
}
