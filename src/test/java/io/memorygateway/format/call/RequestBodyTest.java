package io.memorygateway.format.call;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestBodyTest {

  @Test
  void readsModelAndStreamWhereverTheyStand() throws Exception {
    RequestBody body =
        parse(" {\"a\":{\"model\":1,\"stream\":2},\"stream\":true,\"model\":\"m\"} ");

    assertThat(body.model()).isEqualTo("m");
    assertThat(body.stream()).isTrue();
  }

  @Test
  void readsTheKeyOfThePromptCacheIfItIsAString() throws Exception {
    assertThat(parse("{\"prompt_cache_key\":\"k\",\"model\":\"m\"}").promptCacheKey())
        .isEqualTo("k");
    for (String other : new String[] {"null", "7", "{\"a\":\"b\"}", "[\"k\"]"}) {
      RequestBody body = parse("{\"prompt_cache_key\":" + other + ",\"model\":\"m\"}");
      assertThat(body.promptCacheKey()).isNull();
      assertThat(body.model()).isEqualTo("m");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"model\":\"m\"}", "{\"model\":\"m\",\"stream\":null}"})
  void isNoStreamUnlessAskedFor(String json) throws Exception {
    assertThat(parse(json).stream()).isFalse();
  }

  @Test
  void readsEscapesInNamesAndInTheModel() throws Exception {
    RequestBody body = parse("{\"mod\\u0065l\":\"gpt\\u002d5 \\\"\\\\ ü\"}");

    assertThat(body.model()).isEqualTo("gpt-5 \"\\ ü");
    assertThat(text(body.withModel("x"))).isEqualTo("{\"mod\\u0065l\":\"x\"}");
  }

  @Test
  void changesNothingButTheModel() throws Exception {
    String json =
        """
        {"temperature" : 1.10,\t"seed":12345678901234567890, "model" :  "openai/gpt-5"  ,
         "top_p":1E-400,"x":{"model":"y","n":-0.0},"é":"\\u00e9\\/","x":[ ] }
        """;

    assertThat(text(parse(json).withModel("gpt-5")))
        .isEqualTo(json.replace("\"openai/gpt-5\"", "\"gpt-5\""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|{\"model\":\"a/b\"}",
        " { } |' {\"model\":\"a/b\" } '",
        "{\"a\":1}|{\"model\":\"a/b\",\"a\":1}",
        "{\"a\":1,\"model\":\"x\"}|{\"a\":1,\"model\":\"a/b\"}",
      })
  void aModelThatIsNamedElsewhereTakesItsPlace(String json, String with) throws Exception {
    RequestBody body = RequestBody.parse(json.getBytes(UTF_8), "a/b");

    assertThat(body.model()).isEqualTo("a/b");
    assertThat(text(body.bytes()).strip()).isEqualTo(with.strip());
  }

  @Test
  void returnsTheSameArrayWhenTheModelStays() throws Exception {
    byte[] json = "{\"model\":\"gpt\\u002d5\"}".getBytes(UTF_8);

    assertThat(RequestBody.parse(json).withModel("gpt-5")).isSameAs(json);
  }

  @Test
  void quotesTheNewModel() throws Exception {
    byte[] edited = parse("{\"model\":\"m\"}").withModel("a\"b\\c\nd\u0001é😀\ud800");

    assertThat(text(edited)).isEqualTo("{\"model\":\"a\\\"b\\\\c\\nd\\u0001é😀\\ud800\"}");
    assertThat(RequestBody.parse(edited).model()).isEqualTo("a\"b\\c\nd\u0001é😀\ud800");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}|model is required.",
        "{\"Model\":\"m\"}|model is required.",
        "{\"model\":null}|model must be a string.",
        "{\"model\":404}|model must be a string.",
        "{\"model\":{}}|model must be a string.",
        "{\"model\":\"\"}|model must not be blank.",
        "{\"model\":\" \\t\"}|model must not be blank.",
        "{\"model\":\"m\",\"model\":\"m\"}|model is given twice.",
        "{\"model\":\"m\",\"stream\":1}|stream must be a boolean.",
        "{\"model\":\"m\",\"stream\":\"true\"}|stream must be a boolean.",
        "{\"model\":\"m\",\"stream\":null,\"stream\":true}|stream is given twice.",
        "{\"model\":\"m\",\"stream_options\":[]}|stream_options must be an object.",
        "{\"stream_options\":{},\"model\":\"m\",\"stream_options\":{}}"
            + "|stream_options is given twice.",
        "{\"model\":\"m\",\"stream_options\":{\"include_usage\":1}}"
            + "|stream_options.include_usage must be a boolean.",
        "{\"model\":\"m\",\"stream_options\":{\"include_usage\":null,\"include_usage\":true}}"
            + "|stream_options.include_usage is given twice.",
      })
  void saysWhatIsWrongWithAMember(String json, String message) {
    assertThatThrownBy(() -> parse(json))
        .isInstanceOf(MalformedBodyException.class)
        .hasMessage(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "[]",
        "null",
        "\"model\"",
        "{",
        "{\"model\"",
        "{\"model\":",
        "{\"model\":\"m",
        "{\"model\":\"m\\",
        "{\"model\":\"m\"",
        "{\"model\":\"m\"}}",
        "{\"model\":\"m\"} {}",
        "{\"model\":\"m\"} 404",
        "{\"model\":\"m\",}",
        "{'model':'m'}",
        "{model:\"m\"}",
        "{\"model\":\"m\",\"x\":01}",
        "{\"model\":\"m\",\"x\":+1}",
        "{\"model\":\"m\",\"x\":NaN}",
        "{\"model\":\"m\",\"x\":nul}",
        "{\"model\":\"m\",\"x\":\"\\x\"}",
        "{\"model\":\"m\",\"x\":\"\\u12g4\"}",
        "{\"model\":\"m\",\"x\":\"\n\"}",
        "{\"model\":\"m\",/**/\"x\":1}",
        "{\"model\":\"m\"}\0",
        "\0{\"model\":\"m\"}",
      })
  void refusesWhatIsNotOneJsonObjectAndEchoesNothing(String json) {
    assertThatThrownBy(() -> parse(json))
        .isInstanceOf(MalformedBodyException.class)
        .hasMessageMatching("The body [a-zA-Z -]+ (JSON|JSON object)\\.");
  }

  @Test
  void dropsAByteOrderMark() throws Exception {
    RequestBody body = parse("\ufeff{\"model\":\"m\"}");

    assertThat(text(body.withModel("m"))).isEqualTo("{\"model\":\"m\"}");
    assertThat(text(body.withModel("n"))).isEqualTo("{\"model\":\"n\"}");
  }

  @Test
  void refusesOtherEncodings() {
    for (Charset charset : new Charset[] {UTF_16, UTF_16BE, UTF_16LE, Charset.forName("UTF-32")}) {
      assertThatThrownBy(() -> RequestBody.parse("{\"model\":\"m\"}".getBytes(charset)))
          .isInstanceOf(MalformedBodyException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "80",
        "BF",
        "C0AF",
        "C1BF",
        "C3",
        "C328",
        "E08080",
        "E09FBF",
        "E282",
        "E28228",
        "EDA080",
        "EDBFBF",
        "F0808080",
        "F08FBFBF",
        "F09F98",
        "F4908080",
        "F5808080",
        "F888808080",
        "FE",
        "FF"
      })
  void refusesWhatIsNotStrictUtf8(String hex) {
    for (int padding = 0; padding < 9; padding++) {
      byte[] json = bodyWith(padding, java.util.HexFormat.of().parseHex(hex));
      assertThatThrownBy(() -> RequestBody.parse(json))
          .isInstanceOf(MalformedBodyException.class)
          .hasMessage("The body is not valid UTF-8.");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u007f", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff"})
  void takesEveryLengthOfUtf8(String text) throws Exception {
    for (int padding = 0; padding < 9; padding++) {
      RequestBody.parse(bodyWith(padding, text.getBytes(UTF_8)));
    }
    RequestBody.parse(bodyWith(0, "\ud800\udc00\udbff\udfff".getBytes(UTF_8)));
  }

  @Test
  void refusesTooDeepNesting() throws Exception {
    parse("{\"model\":\"m\",\"x\":" + "[".repeat(499) + "]".repeat(499) + "}");

    assertThatThrownBy(
            () -> parse("{\"model\":\"m\",\"x\":" + "[".repeat(500) + "]".repeat(500) + "}"))
        .isInstanceOf(MalformedBodyException.class)
        .hasMessage("The body is nested too deeply.");
    assertThatThrownBy(() -> parse("{\"model\":\"m\",\"x\":" + "[".repeat(1_000_000)))
        .hasMessage("The body is nested too deeply.");
  }

  @Test
  void takesLongStringsNumbersAndNames() throws Exception {
    String json =
        "{\"image\":\"%s\",\"n\":%s,\"%s\":1,\"model\":\"m\"}"
            .formatted("A".repeat(21_000_000), "9".repeat(5000), "k".repeat(60_000));

    assertThat(text(parse(json).withModel("n")))
        .isEqualTo(json.replace("\"model\":\"m\"", "\"model\":\"n\""));
  }

  private static byte[] bodyWith(int padding, byte[] inString) {
    ByteArrayOutputStream json = new ByteArrayOutputStream();
    json.writeBytes(("{\"model\":\"m\",\"x\":\"" + "x".repeat(padding)).getBytes(UTF_8));
    json.writeBytes(inString);
    json.writeBytes("\"}".getBytes(UTF_8));
    return json.toByteArray();
  }

  private static RequestBody parse(String json) throws MalformedBodyException {
    return RequestBody.parse(json.getBytes(UTF_8));
  }

  private static String text(byte[] utf8) {
    return new String(utf8, UTF_8);
  }
}
