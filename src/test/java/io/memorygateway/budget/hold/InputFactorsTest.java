package io.memorygateway.budget.hold;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What calls of one key show of a target, and what that means for others. */
class InputFactorsTest {
  private final InputFactors factors = new InputFactors();

  @Test
  void aKeysOwnCallsShowWhatItsNextOnesMayCount() {
    factors.told("a/m", 1, 7, 1000, 1500);

    assertThat(factors.most("a/m", 1, 7, 1000)).isEqualTo(1500);
    assertThat(factors.most("a/other", 1, 7, 1000)).isEqualTo(1000);
  }

  @Test
  void oneKeyShowsNothingOfTheCallsOfOthers() {
    for (int i = 0; i < 3; i++) {
      factors.told("a/m", 1, 7, 1000, 21_000);
    }

    assertThat(factors.most("a/m", 2, 7, 1000)).isEqualTo(1000);
    assertThat(factors.most("a/m", 1, 7, 1000)).isEqualTo(4000);
  }

  @Test
  void whatTwoProjectsShowHoldsForAll() {
    factors.told("a/m", 1, 7, 1000, 4000);
    factors.told("a/m", 2, 8, 1000, 1300);
    assertThat(factors.most("a/m", 3, 7, 1000)).isEqualTo(1300);

    factors.told("a/m", 2, 8, 1000, 2000);
    assertThat(factors.most("a/m", 3, 7, 1000)).isEqualTo(2000);
    factors.told("a/m", 2, 8, 1000, 1000);
    assertThat(factors.most("a/m", 3, 7, 1000)).isBetween(1900L, 1999L);
  }

  /** A project has as many keys as it likes. */
  @Test
  void whatTwoKeysOfAProjectShowHoldsForItAloneAndAsLongAsItCallsAlone() {
    factors.told("a/m", 1, 7, 1000, 4000);
    factors.told("a/m", 2, 7, 1000, 3000);
    assertThat(factors.most("a/m", 4, 8, 1000)).isEqualTo(1000);
    assertThat(factors.most("a/m", 3, 7, 1000)).isEqualTo(3000);

    factors.told("a/m", 4, 8, 1000, 1100);
    assertThat(factors.most("a/m", 3, 7, 1000)).isEqualTo(1100);
    factors.told("a/m", 1, 7, 1000, 4000);
    factors.told("a/m", 2, 7, 1000, 4000);
    assertThat(factors.most("a/m", 3, 7, 1000)).isEqualTo(1100);

    factors.told("a/m", 4, 8, 1000, 2000);
    assertThat(factors.most("a/m", 3, 7, 1000)).isEqualTo(2000);
  }
}
