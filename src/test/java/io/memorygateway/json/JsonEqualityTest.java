package io.memorygateway.json;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonEqualityTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"a\":1,\"b\":[true]} | { \"b\":[ true ], \"a\":1 }",
        "\"\\u00e9\" | \"\u00e9\"",
        "1.10 | 1.1",
        "100 | 1E2",
        "1e999999999999 | 1e999999999999",
      })
  void spellingDoesNotMatter(String a, String b) {
    assertThat(same(a, b)).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[1,2] | [2,1]",
        "[1] | [1,1]",
        "{\"a\":null} | {}",
        "{\"a\":1} | {\"b\":1}",
        "1 | \"1\"",
        "true | false",
        "12345678901234567890 | 12345678901234567891",
        "1e999999999999 | 2e999999999999",
      })
  void whatSaysSomethingElseIsNotTheSame(String a, String b) {
    assertThat(same(a, b)).isFalse();
  }

  private static boolean same(String a, String b) {
    return JsonEquality.same(JsonValue.ofStored(a), JsonValue.ofStored(b));
  }
}
