package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.memorygateway.testing.Runs;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
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
  void contentsMayHaveWhatReadersDisagreeOn(int levels) throws Exception {
    ParseOptions options = ParseOptions.STRICT.withLevels(levels).withContents("content");
    for (String content :
        List.of(
            "[\"\\u0000\",{\"\\u0000\":[\"\\ude00\"]}]",
            "{\"a\":1,\"a\":{\"b\":2,\"b\":3}}",
            "[" + "1".repeat(2000) + "]",
            "{\"" + "n".repeat(50_001) + "\":1}")) {
      JsonValue value = JsonValue.parse(utf8("{\"content\":" + content + "}"), options);
      assertThat(value.members().get("content").raw()).isEqualTo(content);
    }

    for (String refused :
        List.of(
            "{\"content\":\"\",\"x\":\"\\u0000\"}",
            "{\"content\":{},\"\\ud83d\":1}",
            "{\"content\":{},\"content\":{}}",
            "{\"content\":{},\"x\":{\"a\":1,\"a\":2}}",
            "{\"content\":1,\"x\":" + "1".repeat(2000) + "}",
            "{\"content\":\"\0\"}")) {
      assertThatThrownBy(() -> JsonValue.parse(utf8(refused), options))
          .isInstanceOf(MalformedJsonException.class);
    }
  }

  /** Random bytes of JSON, most of them spoilt. */
  @Test
  void itTakesWhatJacksonTakesAndPlacesValuesAsJacksonDoes() {
    String[] pieces = {
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "\"a\"",
      "\"\\u00e9\\n\"",
      "\"a\\/\\b\\f\\r\\t\\\\u0041\\uD83D\\uDE00\u00e9\\ud800\\\"\"",
      "\"\u00e9\ud83d\ude00\"",
      "1",
      "-0.5e+3",
      "01",
      "true",
      "nul",
      "null",
      " ",
      "\n",
      "\"",
      "\\",
      "\u00e9",
      "1.",
      "2E",
      "-",
      "\ufeff",
      "\"\\x\"",
      "\t",
      "\0"
    };
    Random random = new Random(53);
    int runs = Runs.of(200_000);
    int taken = 0;
    for (int i = 0; i < runs; i++) {
      StringBuilder made = new StringBuilder();
      if (i % 2 == 0) {
        value(made, random, 4);
      }
      for (int j = random.nextInt(i % 2 == 0 ? 3 : 8); j > 0; j--) {
        made.insert(random.nextInt(made.length() + 1), pieces[random.nextInt(pieces.length)]);
      }
      byte[] text = made.toString().getBytes(UTF_8);
      if (text.length > 0 && random.nextInt(4) == 0) {
        text[random.nextInt(text.length)] = (byte) random.nextInt(256);
      }
      boolean texts = Utf8.isValid(text);
      String expected = ofJackson(text, texts);
      String read;
      try {
        StringBuilder places = new StringBuilder();
        places(JsonValue.parse(text), texts, places);
        read = places.toString();
        taken++;
      } catch (MalformedJsonException e) {
        read = "";
      }
      assertThat(read).as(HexFormat.of().formatHex(text)).isEqualTo(expected);
    }
    assertThat(taken).isBetween(runs / 10, runs * 3 / 4);
  }

  private static void value(StringBuilder out, Random random, int levels) {
    int kind = random.nextInt(levels == 0 ? 4 : 6);
    if (kind < 4) {
      out.append(List.of("\"a\\u00e9\u00e9\"", "12.50", "null", "\"\"").get(kind));
      return;
    }
    out.append(kind == 4 ? "{" : "[");
    for (int i = random.nextInt(4); i > 0; i--) {
      out.append(kind == 4 ? "\"n" + i + "\" :" : " ");
      value(out, random, levels - 1);
      out.append(i > 1 ? "," : "");
    }
    out.append(kind == 4 ? "}" : "]");
  }

  private static void places(JsonValue value, boolean texts, StringBuilder out) {
    out.append(value.kind())
        .append(texts ? value.text() : "")
        .append(value.start())
        .append('-')
        .append(value.end())
        .append(' ');
    for (JsonValue.Field field : value.fields()) {
      out.append(field.name()).append(field.nameStart()).append(' ');
      places(field.value(), texts, out);
    }
    value.items().forEach(item -> places(item, texts, out));
  }

  /** The same of Jackson's tokens; empty for what it does not take. */
  private static String ofJackson(byte[] text, boolean texts) {
    StringBuilder out = new StringBuilder();
    try (JsonParser parser = Json.open(text, 0, text.length)) {
      if (parser.nextToken() == null) {
        return "";
      }
      tokens(parser, text, texts, out);
      return parser.nextToken() == null ? out.toString() : "";
    } catch (IOException e) {
      return "";
    }
  }

  private static void tokens(JsonParser parser, byte[] text, boolean texts, StringBuilder out)
      throws IOException {
    int start = Json.start(parser);
    JsonToken token = parser.currentToken();
    StringBuilder children = new StringBuilder();
    int end;
    if (token.isStructStart()) {
      while (!parser.nextToken().isStructEnd()) {
        if (parser.currentToken() == JsonToken.FIELD_NAME) {
          children.append(parser.currentName()).append(Json.start(parser)).append(' ');
          parser.nextToken();
        }
        tokens(parser, text, texts, children);
      }
      end = (int) parser.currentLocation().getByteOffset();
    } else {
      end = Json.end(parser, text);
    }
    String said = texts && token == JsonToken.VALUE_STRING ? parser.getText() : "";
    String kind =
        switch (token) {
          case START_OBJECT -> "OBJECT";
          case START_ARRAY -> "ARRAY";
          case VALUE_STRING -> "STRING";
          case VALUE_NULL -> "NULL";
          case VALUE_TRUE, VALUE_FALSE -> "BOOLEAN";
          default -> "NUMBER";
        };
    out.append(kind)
        .append(said)
        .append(start)
        .append('-')
        .append(end)
        .append(' ')
        .append(children);
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
