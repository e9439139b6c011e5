package io.memorygateway.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Contract §11: batches that come late are halved. */
class BatchSizeTest {
  private final BatchSize size = new BatchSize();

  @Test
  void isHalvedByEveryLateCallDownToASingleText() {
    size.late(64);
    size.late(64); // open at the same time
    assertThat(size.texts()).isEqualTo(32);
    assertThat(size.characters()).isEqualTo(50_000);
    for (int i = 0; i < 10; i++) {
      size.late(size.texts());
    }
    assertThat(size.texts()).isEqualTo(1);
  }

  @Test
  void growsAgainWhenCallsAreQuick() {
    size.late(4);
    assertThat(size.texts()).isEqualTo(2);
    size.answered(1, Duration.ZERO);
    assertThat(size.texts()).as("of a smaller call nothing follows").isEqualTo(2);
    for (int i = 0; i < 10; i++) {
      size.answered(size.texts(), Duration.ofMillis(10));
    }
    assertThat(size.texts()).isEqualTo(64);
  }

  /** Searches wait for it; but where only the way is long, smaller calls would gain nothing. */
  @Test
  void isHalvedByCallsThatTakeLong() {
    for (int i = 0; i < 10; i++) {
      size.answered(size.texts(), Duration.ofSeconds(5));
    }
    assertThat(size.texts()).isEqualTo(8);
    size.answered(8, Duration.ofSeconds(1));
    assertThat(size.texts()).isEqualTo(8);
  }

  /** As of a text on which a model hangs. */
  @Test
  void aSingleTextTellsNothingOfOthers() {
    size.late(1);
    size.answered(1, Duration.ofSeconds(9));
    assertThat(size.texts()).isEqualTo(64);
  }
}
