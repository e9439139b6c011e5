package io.memorygateway.observation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a thread is looked at again: in time, but not often. */
class ThreadObserverTest {
  private static final CutRule RULE = new CutRule(30_000);

  @Test
  void theNextLookComesBeforeSomethingCanBeDue() {
    // 6,000 tokens to go; what came last had 4 bytes a token.
    assertThat(look(0, 0, 500, 2_000)).isEqualTo(16_000);
    assertThat(look(27_000, 3_000, 500, 2_000)).isEqualTo(8_000);
    assertThat(look(29_000, 3_000, 500, 2_000)).as("the threshold is nearer").isEqualTo(2_666);
  }

  @Test
  void looksAreNotOften() {
    assertThat(look(0, 5_999, 500, 2_000)).isEqualTo(750);
  }

  @Test
  void imagesDoNotPutItOff() {
    assertThat(look(0, 0, 765, 4_000_000)).isEqualTo(16_000);
    assertThat(look(0, 0, 7_650, 1_000)).as("by URL").isLessThan(1_000);
  }

  @Test
  void aResultThatIsWaitedForIsLookedAtWhenItComes() {
    assertThat(look(31_000, 7_000, 500, 2_000)).isEqualTo(1);
  }

  private static long look(long pending, long unprepared, long latest, long latestBytes) {
    return ThreadObserver.untilNextCheck(
        RULE, new UnobservedMessagesReader.Amount(pending, unprepared, latest, latestBytes, 0));
  }
}
