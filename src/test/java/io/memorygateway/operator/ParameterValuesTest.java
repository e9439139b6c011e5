package io.memorygateway.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.http.errors.ApiException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §9: the values that tasks and commands take. */
class ParameterValuesTest {
  @ParameterizedTest
  @CsvSource({"90d, P90D", "12h, PT12H", "1ms, PT0.001S", "36525d, P36525D"})
  void aDurationIsOfDropwizardsKind(String text, Duration duration) {
    assertThat(values(text).duration("parameter")).isEqualTo(duration);
  }

  @ParameterizedTest
  @ValueSource(strings = {"zebra", "0s", "-1d", "1", "1.5h", "36526d", "9223372036854775807d"})
  void nothingElseIsADuration(String text) {
    assertThatThrownBy(() -> values(text).duration("parameter"))
        .isInstanceOf(ApiException.class)
        .hasMessageStartingWith("parameter must be a duration");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0", "-1", "zebra", "1.0", "2147483648", "99999999999999999999", "\u0663"})
  void aLimitIsAPositiveWholeNumber(String text) {
    assertThat(values("2147483647").positive("parameter")).isEqualTo(2_147_483_647L);
    assertThatThrownBy(() -> values(text).positive("parameter"))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("positive whole number");
  }

  @ParameterizedTest
  @ValueSource(strings = {"zebra", "2026-13-01", "0000-01-01", "+999999999-12-31T23:59:59Z"})
  void aTimeIsOneThatTheDatabaseKnows(String text) {
    assertThat(values("2026-01-31").time("parameter", true)).isEqualTo("2026-02-01T00:00:00Z");
    assertThatThrownBy(() -> values(text).time("parameter", true))
        .isInstanceOf(ApiException.class)
        .hasMessageStartingWith("parameter must be a day");
  }

  @Test
  void aParameterIsGivenOnce() {
    assertThat(ParameterValues.once(Map.of("limit", List.of("5")))).isEqualTo(Map.of("limit", "5"));
    assertThatThrownBy(() -> ParameterValues.once(Map.of("limit", List.of("5", "6"))))
        .isInstanceOf(ApiException.class)
        .hasMessage("limit is given more than once.");
  }

  @Test
  void aChoiceIsOneOfThese() {
    assertThat(values("global").oneOf("parameter", List.of("global", "memory_read")))
        .isEqualTo("global");
    assertThatThrownBy(() -> values("zebra").oneOf("parameter", List.of("global", "memory_read")))
        .isInstanceOf(ApiException.class)
        .hasMessage("parameter must be one of global, memory_read.");
  }

  @Test
  void blankIsAbsentWhereItTakesAwayWhatIsSet() {
    ParameterValues blank =
        new ParameterValues(Map.of("models", " "), List.of(Parameter.cleared("models", "")));
    assertThat(blank.optional("models")).isNull();
    assertThat(blank.isGiven("models")).isTrue();
    assertThatThrownBy(() -> blank.required("models")).hasMessage("models is required.");
  }

  /** Left out, it may mean more: what a script without its variable does not. */
  @Test
  void blankIsRefusedElsewhere() {
    for (String blank : List.of("", " ")) {
      assertThatThrownBy(() -> values(blank))
          .isInstanceOf(ApiException.class)
          .hasMessage("parameter is empty.");
    }
  }

  @Test
  void whatIsMissingOrNotKnownIsSaid() {
    List<Parameter> known = List.of(Parameter.required("id", ""), Parameter.optional("limit", ""));
    assertThatThrownBy(() -> new ParameterValues(Map.of("limit", "1"), known))
        .hasMessage("id is required.");
    assertThatThrownBy(() -> new ParameterValues(Map.of("id", " "), known))
        .hasMessage("id is required.");
    assertThatThrownBy(() -> new ParameterValues(Map.of("id", "1", "zebra", "1"), known))
        .isInstanceOf(ApiException.class)
        .hasMessage("Unknown parameter; known are id, limit.");
  }

  private static ParameterValues values(String value) {
    return new ParameterValues(
        Map.of("parameter", value), List.of(Parameter.optional("parameter", "")));
  }
}
