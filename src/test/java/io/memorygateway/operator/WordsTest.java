package io.memorygateway.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.http.ApiException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §9: the words that tasks and commands take. */
class WordsTest {
  @ParameterizedTest
  @CsvSource({"90d, P90D", "12h, PT12H", "1ms, PT0.001S", "36525d, P36525D"})
  void aDurationIsOfDropwizardsKind(String text, Duration duration) {
    assertThat(words(text).duration("word")).isEqualTo(duration);
  }

  @ParameterizedTest
  @ValueSource(strings = {"zebra", "0s", "-1d", "1", "1.5h", "36526d", "9223372036854775807d"})
  void nothingElseIsADuration(String text) {
    assertThatThrownBy(() -> words(text).duration("word"))
        .isInstanceOf(ApiException.class)
        .hasMessageStartingWith("word must be a duration");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "zebra", "1.0", "2147483648", "99999999999999999999"})
  void aLimitIsAPositiveWholeNumber(String text) {
    assertThat(words("2147483647").positive("word")).isEqualTo(2_147_483_647L);
    assertThatThrownBy(() -> words(text).positive("word"))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("positive whole number");
  }

  @Test
  void aChoiceIsOneOfThese() {
    assertThat(words("global").oneOf("word", List.of("global", "memory_read"))).isEqualTo("global");
    assertThatThrownBy(() -> words("zebra").oneOf("word", List.of("global", "memory_read")))
        .isInstanceOf(ApiException.class)
        .hasMessage("word must be one of global, memory_read.");
  }

  @Test
  void blankIsAbsent() {
    assertThat(words(" ").optional("word")).isNull();
    assertThat(words(" ").duration("word")).isNull();
    assertThat(words(" ").positive("word")).isNull();
    assertThatThrownBy(() -> words(" ").required("word")).hasMessage("word is required.");
  }

  @Test
  void whatIsMissingOrNotKnownIsSaid() {
    List<Word> known = List.of(Word.required("id", ""), Word.optional("limit", ""));
    assertThatThrownBy(() -> new Words(Map.of("limit", "1"), known)).hasMessage("id is required.");
    assertThatThrownBy(() -> new Words(Map.of("id", " "), known)).hasMessage("id is required.");
    assertThatThrownBy(() -> new Words(Map.of("id", "1", "zebra", "1"), known))
        .isInstanceOf(ApiException.class)
        .hasMessage("Unknown parameter; known are id, limit.");
  }

  private static Words words(String value) {
    return new Words(Map.of("word", value), List.of(Word.optional("word", "")));
  }
}
