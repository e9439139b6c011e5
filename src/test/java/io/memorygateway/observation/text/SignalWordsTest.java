package io.memorygateway.observation.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SignalWordsTest {
  private static final SignalWords SIGNALS = SignalWords.load();

  @ParameterizedTest
  @CsvSource({
    "me, my brother and i, 2",
    "me, mein bruder, 1",
    "signal, always remember zorp, 2",
    "date, friday or june, 2",
    "request, please help zorp, 2",
    "request, bitte zorp, 1",
    "number, two or three zorp, 2",
    "number, zorp, 0",
    "no-such-kind, my friday, 0",
    "#, speaks of themselves, 0",
  })
  void wordsAreCountedByKind(String kind, String sentence, int count) {
    assertThat(SIGNALS.count(kind, Words.of(sentence))).isEqualTo(count);
  }

  @Test
  void namesOfKindsAndLanguagesAreNoWords() {
    for (String kind : List.of("me", "signal", "date", "request", "number", "courtesy", "usual")) {
      assertThat(SIGNALS.count(kind, List.of("en:", "signal", "courtesy", "", ":"))).isZero();
    }
  }

  @Test
  void usualWordsSayNothing() {
    assertThat(SIGNALS.isCommon("the")).isTrue();
    assertThat(SIGNALS.isCommon("about")).isTrue();
    assertThat(SIGNALS.isCommon("ghent")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "thanks",
        "hello zorp",
        "thanks that is so great",
        "hi hello thanks great nice zorp blick mank",
        "hi hello thanks wow great nice cool yes okay bye",
      })
  void greetingsAndThanksAreCourtesies(String sentence) {
    assertThat(SIGNALS.isCourtesy(Words.of(sentence))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "zorp",
        "the of a",
        "hello zorp blick",
        "thanks zorp blick mank",
        "hi hello thanks wow great nice cool yes okay zorp",
      })
  void whatSaysMoreIsNone(String sentence) {
    assertThat(SIGNALS.isCourtesy(Words.of(sentence))).isFalse();
  }
}
