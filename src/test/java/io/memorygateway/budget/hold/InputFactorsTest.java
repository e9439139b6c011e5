package io.memorygateway.budget.hold;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What calls of one key show of a target, and what that means for others. */
class InputFactorsTest {
  private final InputFactors factors = new InputFactors();

  @Test
  void aKeysOwnCallsShowWhatItsNextOnesMayCount() {
    factors.told("a/m", 1, 1000, 1500);

    assertThat(factors.most("a/m", 1, 1000)).isEqualTo(1500);
    assertThat(factors.most("a/other", 1, 1000)).isEqualTo(1000);
  }

  @Test
  void oneKeyShowsNothingOfTheCallsOfOthers() {
    for (int i = 0; i < 3; i++) {
      factors.told("a/m", 1, 1000, 21_000);
    }

    assertThat(factors.most("a/m", 2, 1000)).isEqualTo(1000);
    assertThat(factors.most("a/m", 1, 1000)).isEqualTo(4000);
  }

  @Test
  void whatTwoKeysShowHoldsForAll() {
    factors.told("a/m", 1, 1000, 4000);
    factors.told("a/m", 2, 1000, 1300);
    assertThat(factors.most("a/m", 3, 1000)).isEqualTo(1300);

    factors.told("a/m", 2, 1000, 2000);
    assertThat(factors.most("a/m", 3, 1000)).isEqualTo(2000);
    factors.told("a/m", 2, 1000, 1000);
    assertThat(factors.most("a/m", 3, 1000)).isBetween(1900L, 1999L);
  }
}
