package io.memorygateway.usage;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SumTest {
  @Test
  void costsAreAddedExactlyAndWhatIsNotKnownAddsNothing() {
    assertThat(Sum.add("0.1", "0.000000000001")).isEqualTo("0.100000000001");
    assertThat(Sum.add("9999999.1", "90000000000.9")).isEqualTo("90010000000");
    assertThat(Sum.add("0", "0")).isEqualTo("0");
    assertThat(Sum.add(null, "0.5")).isEqualTo("0.5");
    assertThat(Sum.add("0.5", null)).isEqualTo("0.5");
    assertThat(Sum.add(null, null)).isNull();
    assertThat(Sum.add(2L, 3L)).isEqualTo(5L);
  }
}
