package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValueCountTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "0|1",
        "\"a,b[{\"|1",
        "\"a\\\",\\\\\"|1",
        "[0,0,0]|4",
        "{\"a\":[1,{\"b,\":\"x,\"}],\"c\":null}|6",
        "\"never ends \\|1",
        "\"never ends|1",
      })
  void countsValuesAndNothingWithinStrings(String json, long atLeast) {
    assertThat(ValueCount.of(json.getBytes(UTF_8))).isBetween(atLeast, atLeast + 2);
  }

  @Test
  void aTextWeighsLittleAndShortValuesWeighMuch() {
    assertThat(ValueCount.heapOf("\"" + "a,".repeat(1000) + "\"")).isLessThan(1000);
    assertThat(ValueCount.heapOf("[" + "0,".repeat(1000) + "0]")).isGreaterThan(50_000);
  }
}
