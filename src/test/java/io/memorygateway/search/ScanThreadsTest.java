package io.memorygateway.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.memorygateway.http.admission.ClientPresence;
import io.memorygateway.http.errors.ApiException;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Large searches run apart, within bounds; small ones on the thread of their request. */
class ScanThreadsTest {
  private static final ClientPresence STAYS = onLeaving -> () -> {};
  private static final ScanThreads.Size SMALL = new ScanThreads.Size(1, 1, 1_000, 1_000_000);
  private static final ScanThreads.Size LARGE = new ScanThreads.Size(1, 1, 1_000_000, 1_000_000);

  @AutoClose
  private final ScanThreads scans = new ScanThreads(2, new SearchMetrics(new PrometheusRegistry()));

  @Test
  void onlyWhatIsLargeIsDoneOnAnotherThread() {
    assertThat(scans.run(SMALL, STAYS, Thread::currentThread)).isSameAs(Thread.currentThread());
    assertThat(scans.run(LARGE, STAYS, Thread::currentThread).getName()).isEqualTo("search");
  }

  @Test
  void whatIsTooMuchOfOneKeyIsRefusedAndSmallOnesGoOn() {
    CountDownLatch end = new CountDownLatch(1);
    try {
      for (int i = 0; i < 1 + 32; i++) {
        assertThat(scans.runWithin(Duration.ofMillis(1), LARGE, () -> waitFor(end))).isEmpty();
      }
      ApiException refusal =
          catchThrowableOfType(ApiException.class, () -> scans.run(LARGE, STAYS, () -> true));
      assertThat(refusal.error().status()).isEqualTo(503);
      assertThat(scans.run(SMALL, STAYS, () -> true)).isTrue();
    } finally {
      end.countDown();
    }
  }

  private static boolean waitFor(CountDownLatch end) {
    try {
      end.await();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }
}
