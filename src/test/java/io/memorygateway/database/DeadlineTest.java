package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DeadlineTest {
  @Test
  void timeIsLeftForSomethingElse() {
    Deadline deadline = Deadline.in(Duration.ofSeconds(100));
    Deadline earlier = deadline.leaving(Duration.ofSeconds(30));

    assertThat(deadline.atNanos() - earlier.atNanos()).isEqualTo(Duration.ofSeconds(30).toNanos());
  }

  @Test
  void noMoreThanHalfOfItIsLeft() {
    Deadline deadline = Deadline.in(Duration.ofSeconds(100));
    Deadline earlier = deadline.leaving(Duration.ofSeconds(1000));

    assertThat(earlier.millisLeft()).isPositive().isLessThanOrEqualTo(50_000);
  }

  @Test
  void oneThatHasPassedStaysWhereItIs() {
    Deadline passed = Deadline.in(Duration.ofSeconds(-1));

    assertThat(passed.leaving(Duration.ofSeconds(3))).isEqualTo(passed);
  }

  @Test
  void theEarliestOfSeveral() {
    Deadline soon = Deadline.in(Duration.ofSeconds(50));

    assertThat(
            Deadline.earliest(
                Stream.of(
                    Deadline.in(Duration.ofSeconds(100)),
                    soon,
                    Deadline.in(Duration.ofSeconds(200)))))
        .isEqualTo(soon);
  }
}
