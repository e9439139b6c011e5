package io.memorygateway.observation.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.TestTimeout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts are cut at the best place, in time that is proportional to what is cut. */
class TextCutsTest {
  @ParameterizedTest
  @CsvSource({
    "aaaaaaaaaa, 8, aaaaaaaa",
    "'aaaaa bbbbbb', 8, 'aaaaa '",
    "'aaaa. b bbbb', 8, 'aaaa. '",
    "'a bbbbbbbbbb', 8, 'a bbbbbb'",
    "'aaaaaaa bbbb', 8, 'aaaaaaa '",
    "'aaaaaaaa bbb', 8, 'aaaaaaaa'",
  })
  void atTheBestPlaceOfTheSecondHalf(String text, int latest, String part) {
    assertThat(text.substring(0, TextCuts.best(text, 0, latest))).isEqualTo(part);
  }

  @Test
  void neverWithinACharacter() {
    assertThat(TextCuts.best("aaaaaaa🦊a", 0, 8)).isEqualTo(7);
  }

  /** To look back from each part to the beginning would take hours. */
  @Timeout(TestTimeout.SECONDS)
  @ParameterizedTest
  @ValueSource(strings = {"x", "word ", "漢"})
  void aLongTextWithoutSeparatorsIsCutInLinearTime(String unit) {
    String text = unit.repeat((16 << 20) / unit.length());
    int parts = 0;
    for (int from = 0; from + 64 < text.length(); parts++) {
      from = TextCuts.best(text, from, from + 64);
    }
    assertThat(parts).isGreaterThan(200_000);
  }
}
