package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.http.ApiException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTextTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.10",
        "12345678901234567890",
        "-0",
        "1E+400",
        "true",
        "false",
        "null",
        "\"\"",
        "\"a\\\"b\\\\\"",
        "\"\\u00e9 \u00e9 \ud83d\ude00 \\ud83d\\ude00\"",
        "[ 1 , 2 ]",
        "[]",
        "{}",
        "{ \"b\" : 1.0 , \"a\" : [ { } ] }",
      })
  void valuesComeBackAsTheyWereSpelt(String value) {
    String text = "{\"before\":\"\u00e9\\u00e9\" ,\n \"it\" : " + value + " , \"after\":7.50}";
    JsonValue body = JsonText.parse(text.getBytes(UTF_8), JsonText.SHALLOW);
    assertThat(new String(body.members().get("it").raw(), UTF_8)).isEqualTo(value);
    assertThat(body.members().get("after").text()).isEqualTo("7.50");
    JsonValue alone = JsonText.parse((" " + value + "\n").getBytes(UTF_8), JsonText.WHOLE);
    assertThat(new String(alone.raw(), UTF_8)).isEqualTo(value);
  }

  @Test
  void stringsAreReadWithTheirEscapes() {
    JsonValue value = JsonText.parse("{\"a\\n\":\"\\u00e9\\ud83d\\ude00\\t\"}", JsonText.SHALLOW);
    assertThat(value.members().get("a\n").text()).isEqualTo("\u00e9\ud83d\ude00\t");
  }

  @Test
  void theDeepestLevelAllowedIsRead() {
    String deep = "[".repeat(JsonText.MAX_DEPTH) + "]".repeat(JsonText.MAX_DEPTH);
    assertThat(JsonText.parse(deep, JsonText.SHALLOW).length()).isEqualTo(deep.length());
    assertThat(JsonText.parse(deep, JsonText.WHOLE).length()).isEqualTo(deep.length());
  }

  @ParameterizedTest
  @MethodSource("refused")
  void whatReadersDisagreeOnIsRefused(byte[] text) {
    assertThatThrownBy(() -> JsonText.parse(text, JsonText.SHALLOW))
        .isInstanceOfSatisfying(
            ApiException.class, e -> assertThat(e.error().status()).isEqualTo(400));
  }

  static Stream<byte[]> refused() {
    String longNumber = "1".repeat(2000);
    return Stream.concat(
        Stream.of(
                "",
                " ",
                "{",
                "{\"a\":1}{",
                "{\"a\":1} 2",
                "{\"a\":1,\"a\":2}",
                "{\"a\":{\"b\":[{\"c\":1,\"\\u0063\":2}]}}",
                "{\"a\":\"\\u0000\"}",
                "{\"a\":{\"b\":[[[\"x\\u0000\"]]]}}",
                "{\"a\\u0000\":1}",
                "{\"a\":\"\\ud800\"}",
                "{\"a\":\"\\ude00\\ud83d\"}",
                "{\"a\":\"x\ny\"}",
                "{'a':1}",
                "{\"a\":NaN}",
                "{\"a\":01}",
                "{\"a\":+1}",
                "{\"a\":1,}",
                "/**/{}",
                "[".repeat(JsonText.MAX_DEPTH + 1) + "]".repeat(JsonText.MAX_DEPTH + 1),
                "[".repeat(1_000_000),
                "{\"a\":" + longNumber + "}")
            .map(text -> text.getBytes(UTF_8)),
        Stream.of(
            new byte[] {'"', (byte) 0xC3, '(', '"'},
            new byte[] {'"', (byte) 0xC0, (byte) 0x80, '"'},
            new byte[] {'"', (byte) 0xED, (byte) 0xA0, (byte) 0x80, '"'},
            new byte[] {'"', (byte) 0xE2, (byte) 0x82},
            new byte[] {'{', '}', 0},
            "{\"a\":1}".getBytes(UTF_16LE)));
  }
}
