package io.memorygateway.proxy.route;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobsTest {
  @ParameterizedTest
  @CsvSource({
    "one/*, true",
    "one/m, true",
    "one/*-mini, true",
    "one*, true",
    "*, true",
    "*/m, true",
    "o*x, true",
    "'', false",
    "one, false",
    "one/, false",
    "one/m/*, true",
    "two/*, false",
    "onetwo/*, false",
    "One/*, false",
    "one-*, false",
    "fast, false",
  })
  void aPatternMayBeOfANameThatBeginsSo(String pattern, boolean may) {
    assertThat(Globs.matchesAny(pattern, "one/")).isEqualTo(may);
  }

  @ParameterizedTest
  @CsvSource({
    "one/*, one/m, true",
    "one/*, one/, true",
    "o*/m*, one/m/x, true",
    "o*/m, one/m/x, false",
    "one/m, one/m, true",
    "one/m, one/mm, false",
    "*a*a, baab, false",
    "*a*b*, xaxbx, true",
  })
  void aStarStandsForAnyCharacters(String pattern, String name, boolean matches) {
    assertThat(Globs.matches(pattern, name)).isEqualTo(matches);
  }
}
