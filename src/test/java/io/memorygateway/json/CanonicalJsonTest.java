package io.memorygateway.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CanonicalJsonTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"a\":1,\"b\":{\"c\":[],\"d\":{}}} | { \"b\" : { \"d\": { }, \"c\": [ ] }, \"a\" : 1 }",
        "[\"\\u00e9\", \"\\/\"] | [\"\u00e9\",\"/\"]",
        "{\"\\u0061\":true} | {\"a\":true}",
        "[1.0,-2.50,100,0.0] | [1,-2.5,1E2,0]",
        "1e999999999999 | 1e999999999999",
        "1e2147483647 | 1E2147483647",
        "[10e2147483647] | [ 10e2147483647 ]",
      })
  void orderSpaceAndEscapesDoNotMatter(String a, String b) {
    assertThat(form(a)).isEqualTo(form(b));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[1,2] | [2,1]",
        "[1,2] | [12]",
        "[[],1] | [[1]]",
        "[] | {}",
        "[] | [[]]",
        "{} | {\"a\":1}",
        "{\"a\":1} | {\"a\":2}",
        "{\"a\":{\"b\":1}} | {\"a\":{},\"b\":1}",
        "{\"a\":\"b\"} | [\"a\",\"b\"]",
        "1 | \"1\"",
        "1.5 | 1.05",
        "1e999999999999 | 1",
        "1e999999999999 | 2e999999999999",
        "12345678901234567890 | 12345678901234567891",
        "null | \"null\"",
        "true | false",
        "\"a\" | \"b\"",
      })
  void otherValuesHaveAnotherForm(String a, String b) {
    assertThat(form(a)).isNotEqualTo(form(b));
  }

  @Test
  void membersAreLeftOutOfTheOutermostObjectOnly() {
    JsonValue value = JsonValue.of("{\"b\":{\"id\":1},\"id\":2,\"a\":[{\"id\":3}],\"x\":4}");
    assertThat(CanonicalJson.without(Set.of("id", "x"), value))
        .isEqualTo(form("{\"a\":[{\"id\":3}],\"b\":{\"id\":1}}"));
    assertThat(CanonicalJson.without(Set.of("id"), JsonValue.of("[{\"id\":3}]")))
        .isEqualTo(form("[{\"id\":3}]"));
  }

  private static String form(String json) {
    return CanonicalJson.of(JsonValue.ofStored(json));
  }
}
