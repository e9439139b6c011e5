package io.memorygateway.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.ManualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Contract §11: a text on which the model fails is given up in the end, however many there are. */
class FailingThreadsTest {
  private final ManualClock clock = new ManualClock(Instant.EPOCH);
  private final FailingThreads failing = new FailingThreads(clock);

  /** One that is given up has a round like any other, as if its message were left out. */
  @Test
  void allOfMoreThanMayWaitAreGivenUp() {
    int threads = FailingThreads.MAX_THREADS + 100;
    boolean[] givenUp = new boolean[threads];
    for (int round = 0; round < 6; round++) {
      for (int thread = 0; thread < threads; thread++) {
        if (!givenUp[thread]) {
          givenUp[thread] = failing.isGivenUp(thread);
          if (givenUp[thread]) {
            failing.succeeded(thread);
          } else {
            failing.failed(thread);
          }
        }
      }
      assertThat(failing.size()).isLessThanOrEqualTo(FailingThreads.MAX_THREADS);
      clock.advance(Duration.ofMinutes(30));
    }
    assertThat(givenUp).doesNotContain(false);
    assertThat(failing.size()).isZero();
  }

  /** As threads that were deleted, which nobody tries again. */
  @Test
  void oneThatIsNotTriedAgainMakesRoom() {
    for (int thread = 0; thread < FailingThreads.MAX_THREADS; thread++) {
      failing.failed(thread);
    }
    assertThat(failing.isGivenUp(-1)).isTrue();
    clock.advance(Duration.ofMinutes(62));
    assertThat(failing.isGivenUp(-1)).isFalse();
    assertThat(failing.size()).isZero();
  }
}
