package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

  /** A reader with the limits of others would refuse what is longer. */
  @Test
  void theLongestNumberAndNameAreRead() throws Exception {
    String number = "1".repeat(1000);
    String name = "n".repeat(50_000);
    for (int levels : new int[] {ParseOptions.SHALLOW, ParseOptions.WHOLE}) {
      parse("[[[[" + number + "]]],{\"" + name + "\":" + number + "}]", levels);
      for (String longer :
          new String[] {
            "[" + number + "1]",
            "[[[[" + number + "1]]]]",
            "{\"" + name + "n\":1}",
            "[[[{\"" + name + "n\":1}]]]"
          }) {
        assertThatThrownBy(() -> parse(longer, levels)).hasMessageContaining("too long");
        assertThat(JsonValue.parse(longer.getBytes(UTF_8)).raw()).isEqualTo(longer);
      }
    }
  }

  @Test
  void anObjectHasABoundedNumberOfMembers() throws Exception {
    StringBuilder members = new StringBuilder("{\"m1\":0");
    for (int i = 2; i <= 200_000; i++) {
      members.append(",\"m").append(i).append("\":0");
    }
    assertThat(parse(members + "}", ParseOptions.WHOLE).fields()).hasSize(200_000);
    String more = members + ",\"m\":0}";
    assertThatThrownBy(() -> parse(more, ParseOptions.WHOLE))
        .hasMessageContaining("too many members");
    assertThat(JsonValue.parse(more.getBytes(UTF_8)).fields()).hasSize(200_001);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | is empty",
        "[1] [2] | must be a single JSON value",
        "{\"a\":1,\"a\":2} | names a member of an object twice",
        "{\"a\" 1} | is not valid JSON",
        "[\"\\ud800\"] | has a string with the character NUL or half a surrogate pair",
      })
  void theFaultIsNamed(String text, String fault) {
    assertThatThrownBy(() -> parse(text, ParseOptions.SHALLOW))
        .isInstanceOf(MalformedJsonException.class)
        .hasMessage(fault);
  }

  @Test
  void theNumberOfValuesIsBounded() throws Exception {
    byte[] six = "[1,[2],{\"a\":{}}]".getBytes(UTF_8);
    ParseOptions options = ParseOptions.LENIENT;
    assertThat(JsonValue.parse(six, options.withMaxValues(6)).items()).hasSize(3);
    assertThatThrownBy(() -> JsonValue.parse(six, options.withMaxValues(5)))
        .isInstanceOf(MalformedJsonException.TooManyValues.class);
    // What is not parsed does not count.
    assertThat(JsonValue.parse(six, options.withLevels(1).withMaxValues(4)).items()).hasSize(3);
  }

  @Test
  void aLongParseIsEndedByItsCheckpoint() throws Exception {
    byte[] text = ("[" + "0,".repeat(99_999) + "0]").getBytes(UTF_8);
    AtomicInteger checkpoints = new AtomicInteger();
    JsonValue.parse(text, ParseOptions.LENIENT.withCheckpoint(checkpoints::incrementAndGet));
    assertThat(checkpoints).hasValueBetween(20, 200);
    ParseOptions ended =
        ParseOptions.STRICT.withCheckpoint(
            () -> {
              throw new IllegalStateException("ended");
            });
    assertThatThrownBy(() -> JsonValue.parse(text, ended)).hasMessage("ended");
  }

  @Test
  void theChildrenOfSoManyLevelsAreValues() throws Exception {
    String text = "[[[[1]]]]";
    assertThat(parse(text, 2).items().get(0).items().get(0).raw()).isEqualTo("[[1]]");
    assertThatThrownBy(() -> parse(text, 2).items().get(0).items().get(0).items())
        .isInstanceOf(NullPointerException.class);
    assertThat(parse("[{\"a\":{\"b\":1}}]", 2).items().get(0).fields()).hasSize(1);
  }

  @Test
  void charactersAreTakenAsTheyAreWhenNotStrict() throws Exception {
    JsonValue value = JsonValue.parse("{\"a\\u0000\":\"\\ud800\"}".getBytes(UTF_8));
    assertThat(value.string("a\0")).isEqualTo("\ud800");
    assertThat(parse("[\"\\\\u0000\"]", 1).items().get(0).text()).isEqualTo("\\u0000");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, ParseOptions.WHOLE})
  void contentsMayHaveEscapesOfAnyCharacters(int levels) throws Exception {
    ParseOptions options = ParseOptions.STRICT.withLevels(levels).withContents("content");
    String content = "[\"\\u0000\",{\"\\u0000\":[\"\\ude00\"]}]";
    JsonValue value = JsonValue.parse(utf8("{\"content\":" + content + "}"), options);
    assertThat(value.members().get("content").raw()).isEqualTo(content);

    for (String refused :
        List.of(
            "{\"content\":\"\",\"x\":\"\\u0000\"}",
            "{\"content\":{},\"\\ud83d\":1}",
            "{\"content\":{\"a\":1,\"a\":2}}",
            "{\"content\":\"\0\"}")) {
      assertThatThrownBy(() -> JsonValue.parse(utf8(refused), options))
          .isInstanceOf(MalformedJsonException.class);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(UTF_8);
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
                "{\"a\":{\"b\":[[{\"x\\u0000\":1}]]}}",
                "\"never ends",
                "[\"never ends\\",
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
