package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NonFiniteTest {
  @Test
  void bytesThatAreNoUtf8AreReplaced() throws Exception {
    byte[] json = "{\"a\":\"?\",\"b\":NaN}".getBytes(UTF_8);
    json[6] = (byte) 0xE9;
    JsonValue read = NonFinite.parse(json, ParseOptions.LENIENT);
    assertThat(read.text("a")).isEqualTo("\ufffd");
    assertThat(read.raw()).endsWith(",\"b\":null}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"a\":NaN}|{\"a\":null}",
        "[Infinity,-Infinity,NaN, 1]|[null,null,null, 1]",
        "{\"NaN\":\"\\\"NaN\",\"b\":-1}|{\"NaN\":\"\\\"NaN\",\"b\":-1}",
        "NaN|null",
        "{\"é\":-Infinity|{\"é\":null",
        "\"NaN|\"NaN",
        "Na|Na",
        "-|-",
        "\"\\|\"\\",
      })
  void areNullOutsideOfStrings(String json, String expected) {
    assertThat(new String(NonFinite.asNull(json.getBytes(UTF_8)), UTF_8)).isEqualTo(expected);
  }
}
