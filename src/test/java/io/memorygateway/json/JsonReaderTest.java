package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonReaderTest {
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
  void valuesComeBackAsTheyWereSpelt(String value) throws Exception {
    String text = "{\"before\":\"\u00e9\\u00e9\" ,\n \"it\" : " + value + " , \"after\":7.50}";
    JsonValue body = parse(text.getBytes(UTF_8), ParseOptions.SHALLOW);
    assertThat(new String(body.members().get("it").rawBytes(), UTF_8)).isEqualTo(value);
    assertThat(body.members().get("after").raw()).isEqualTo("7.50");
    JsonValue alone = parse((" " + value + "\n").getBytes(UTF_8), ParseOptions.WHOLE);
    assertThat(new String(alone.rawBytes(), UTF_8)).isEqualTo(value);
  }

  @Test
  void stringsAreReadWithTheirEscapes() throws Exception {
    JsonValue value = parse("{\"a\\n\":\"\\u00e9\\ud83d\\ude00\\t\"}", ParseOptions.SHALLOW);
    assertThat(value.members().get("a\n").text()).isEqualTo("\u00e9\ud83d\ude00\t");
  }

  @Test
  void theDeepestLevelAllowedIsRead() throws Exception {
    String deep = "[".repeat(Json.MAX_DEPTH) + "]".repeat(Json.MAX_DEPTH);
    assertThat(parse(deep, ParseOptions.SHALLOW).length()).isEqualTo(deep.length());
    assertThat(parse(deep, ParseOptions.WHOLE).length()).isEqualTo(deep.length());
  }

  @ParameterizedTest
  @MethodSource("refused")
  void whatReadersDisagreeOnIsRefused(byte[] text) throws Exception {
    assertThatThrownBy(() -> parse(text, ParseOptions.SHALLOW))
        .isInstanceOf(MalformedJsonException.class);
  }

  private static JsonValue parse(byte[] text, int levels) throws MalformedJsonException {
    return JsonValue.parse(text, ParseOptions.STRICT.withLevels(levels));
  }

  private static JsonValue parse(String text, int levels) throws MalformedJsonException {
    return parse(text.getBytes(UTF_8), levels);
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
                "[".repeat(Json.MAX_DEPTH + 1) + "]".repeat(Json.MAX_DEPTH + 1),
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
