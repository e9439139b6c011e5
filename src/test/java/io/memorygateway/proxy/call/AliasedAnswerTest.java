package io.memorygateway.proxy.call;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §14: an answer under an alias names the alias, and is otherwise as it came. */
class AliasedAnswerTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"model\":\"m1\",\"x\":1.0}|{\"model\":\"fast\",\"x\":1.0}",
        "{\"x\":[NaN,-Infinity],\"model\":\"m1\"}|{\"x\":[NaN,-Infinity],\"model\":\"fast\"}",
        "{\"x\":\"\u00e9 NaN\",\"model\":\"m1\",\"y\":Infinity}"
            + "|{\"x\":\"\u00e9 NaN\",\"model\":\"fast\",\"y\":Infinity}",
        "{\"response\":{\"x\":NaN,\"model\":\"m1\"}}|{\"response\":{\"x\":NaN,\"model\":\"fast\"}}",
        "{\"model\":\"m1\",\"x\":nan}|{\"model\":\"m1\",\"x\":nan}",
      })
  void theModelAloneIsAnother(String answer, String expected) {
    // Bytes above 127 are no UTF-8 then.
    byte[] named = AliasedAnswer.of(answer.getBytes(ISO_8859_1), "fast");
    assertThat(new String(named, ISO_8859_1)).isEqualTo(expected);
  }
}
