package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The layout of ids: a home in the upper 16 bits, and no sign. */
class HomeTest {
  @Test
  void idsBelowTwoToThe48AreOfTheFirst() {
    assertThat(Home.of(0)).isEqualTo(Home.FIRST);
    assertThat(Home.of((1L << 48) - 1)).isEqualTo(Home.FIRST);
    assertThat(Home.of(1L << 48)).isEqualTo(new Home(1));
  }

  @Test
  void eachHasItsIdsAndNoOthers() {
    Home last = new Home(32_767);
    for (Home home : List.of(Home.FIRST, new Home(1), new Home(16_384), last)) {
      assertThat(List.of(home.first(), home.firstGiven(), home.lastGiven(), home.last()))
          .isSorted()
          .allMatch(id -> id >= 0 && Home.of(id).equals(home));
    }
    assertThat(new Home(1).first()).isEqualTo(Home.FIRST.last() + 1);
    assertThat(last.last()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void noneIsNegativeOrHasTheSign() {
    assertThatThrownBy(() -> new Home(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Home(32_768))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0 to 32767");
  }
}
