package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MergePatchTest {
  /** The examples of RFC 7396, appendix A. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"a\":\"b\"} | {\"a\":\"c\"} | {\"a\":\"c\"}",
        "{\"a\":\"b\"} | {\"b\":\"c\"} | {\"a\":\"b\",\"b\":\"c\"}",
        "{\"a\":\"b\"} | {\"a\":null} | {}",
        "{\"a\":\"b\",\"b\":\"c\"} | {\"a\":null} | {\"b\":\"c\"}",
        "{\"a\":[\"b\"]} | {\"a\":\"c\"} | {\"a\":\"c\"}",
        "{\"a\":\"c\"} | {\"a\":[\"b\"]} | {\"a\":[\"b\"]}",
        "{\"a\":{\"b\":\"c\"}} | {\"a\":{\"b\":\"d\",\"c\":null}} | {\"a\":{\"b\":\"d\"}}",
        "{\"a\":[{\"b\":\"c\"}]} | {\"a\":[1]} | {\"a\":[1]}",
        "[\"a\",\"b\"] | [\"c\",\"d\"] | [\"c\",\"d\"]",
        "{\"a\":\"b\"} | [\"c\"] | [\"c\"]",
        "{\"a\":\"foo\"} | \"bar\" | \"bar\"",
        "{\"e\":null} | {\"a\":1} | {\"e\":null,\"a\":1}",
        "[1,2] | {\"a\":\"b\",\"c\":null} | {\"a\":\"b\"}",
        "{} | {\"a\":{\"bb\":{\"ccc\":null}}} | {\"a\":{\"bb\":{}}}",
      })
  void followsTheRfc(String target, String patch, String result) {
    assertThat(merge(target, patch)).isEqualTo(result);
  }

  @Test
  void keepsTheSpellingOfNumbersAndStrings() {
    assertThat(merge("{\"a\":1.10,\"b\":{\"c\":12345678901234567890}}", "{\"b\":{\"d\":1e2}}"))
        .isEqualTo("{\"a\":1.10,\"b\":{\"c\":12345678901234567890,\"d\":1e2}}");
    assertThat(merge("{\"a\":\"\\u00e9\"}", "{\"b\":[1.0, 2]}"))
        .isEqualTo("{\"a\":\"\\u00e9\",\"b\":[1.0, 2]}");
  }

  @Test
  void theFirstPatchIsAppliedToNothing() {
    byte[] merged = MergePatch.apply(null, JsonValue.ofStored("{\"a\":{\"b\":null,\"c\":1}}"));
    assertThat(new String(merged, UTF_8)).isEqualTo("{\"a\":{\"c\":1}}");
  }

  private static String merge(String target, String patch) {
    byte[] merged = MergePatch.apply(JsonValue.ofStored(target), JsonValue.ofStored(patch));
    return new String(merged, UTF_8);
  }
}
