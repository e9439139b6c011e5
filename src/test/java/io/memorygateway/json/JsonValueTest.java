package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.json.JsonValue.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonValueTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | OBJECT",
        "[] | ARRAY",
        "\"\" | STRING",
        "-1.5e3 | NUMBER",
        "true | BOOLEAN",
        "false | BOOLEAN",
        "null | NULL",
      })
  void aValueIsOfOneKind(String json, Kind kind) {
    JsonValue value = JsonValue.of(json);
    assertThat(value.kind()).isEqualTo(kind);
    assertThat(value.isObject()).isEqualTo(kind == Kind.OBJECT);
    assertThat(value.isArray()).isEqualTo(kind == Kind.ARRAY);
    assertThat(value.isString()).isEqualTo(kind == Kind.STRING);
    assertThat(value.isNull()).isEqualTo(kind == Kind.NULL);
    assertThat(value.fields()).isEmpty();
    assertThat(value.items()).isEmpty();
    assertThat(value.text()).isEmpty();
  }

  @Test
  void aMemberIsReadByItsName() {
    JsonValue object =
        JsonValue.of("{\"a\":\"first\",\"n\":null,\"i\":7,\"e\":\"\\u00e9\\n\",\"a\":\"last\"}");
    assertThat(object.string("a")).isEqualTo("last");
    assertThat(object.string("e")).isEqualTo("\u00e9\n");
    assertThat(object.text("a")).isEqualTo("last");
    assertThat(object.members()).containsOnlyKeys("a", "n", "i", "e");
    assertThat(object.member("n")).matches(JsonValue::isNull);
    assertThat(object.get("n")).isNull();
    assertThat(object.get("i")).extracting(JsonValue::raw).isEqualTo("7");
    for (String other : new String[] {"n", "i", "none"}) {
      assertThat(object.string(other)).isNull();
      assertThat(object.text(other)).isEmpty();
    }
    assertThat(object.member("none")).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 | 0",
        "999999 | 999999",
        "1000000 | -1",
        "-1 | -1",
        "1.0 | -1",
        "1e2 | -1",
        "\"1\" | 1",
        "\"999999\" | 999999",
        "\"1000000\" | -1",
        "\"x\" | -1",
        "\"\" | -1",
        "null | -1",
        "[1] | -1",
      })
  void anIndexIsASmallIntegerFromZero(String json, int index) {
    assertThat(JsonValue.of("{\"index\":" + json + "}").index("index")).isEqualTo(index);
    assertThat(JsonValue.of("{}").index("index")).isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "no JSON", "{", "[1] 2", "\"cut", "\"cut\\", "[\"cut \u00e9"})
  void aTextThatIsNotJsonBecomesAString(String text) {
    assertThat(JsonValue.isValid(text)).isFalse();
    assertThat(JsonValue.of(text).kind()).isEqualTo(Kind.STRING);
    assertThat(JsonValue.of(text).text()).isEqualTo(text);
    assertThatThrownBy(() -> JsonValue.ofStored(text)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aTextOfTooManyValuesBecomesAString() {
    String most = "[" + "0,".repeat(499_998) + "0]";
    assertThat(JsonValue.of(most).isArray()).isTrue();
    String more = "[" + "0,".repeat(499_999) + "0]";
    assertThat(JsonValue.isValid(more)).isTrue();
    assertThat(JsonValue.of(more).text()).isEqualTo(more);
  }

  @Test
  void aValueKnowsItsPlaceInTheText() throws Exception {
    byte[] text = " {\"\u00e9\": [1, \"x\" ] } ".getBytes(UTF_8);
    JsonValue array = JsonValue.parse(text).fields().get(0).value();
    assertThat(array.raw()).isEqualTo("[1, \"x\" ]");
    assertThat(array.rawBytes()).isEqualTo("[1, \"x\" ]".getBytes(UTF_8));
    assertThat(new String(text, array.start(), array.length(), UTF_8)).isEqualTo(array.raw());
    assertThat(array.end()).isEqualTo(array.start() + array.length());
    assertThat(text[JsonValue.parse(text).fields().get(0).nameStart()]).isEqualTo((byte) '"');
  }

  @Test
  void membersAreCopiedAsTheyAreWritten() {
    JsonValue object = JsonValue.of("{ \"a\" : 1.10 , \"\\u0062\":[ ],\"c\":\"\u00e9\" }");
    assertThat(object.rawMembers(name -> true))
        .isEqualTo("\"a\" : 1.10,\"\\u0062\":[ ],\"c\":\"\u00e9\"");
    assertThat(object.rawMembers("c"::equals)).isEqualTo("\"c\":\"\u00e9\"");
    assertThat(object.rawMembers(name -> false)).isEmpty();
    assertThat(object.without("b")).isEqualTo("{\"a\" : 1.10,\"c\":\"\u00e9\"}");
    assertThat(object.without("d")).isEqualTo(object.raw());
  }

  @Test
  void oneMemberIsReplacedAndNothingElse() {
    JsonValue object = JsonValue.of("{ \"a\" : \"\u00e9\" , \"b\" : 1.10 , \"c\": [ ] }");
    assertThat(object.with("b", "{\"x\":2}").raw())
        .isEqualTo("{ \"a\" : \"\u00e9\" , \"b\" : {\"x\":2} , \"c\": [ ] }");
    assertThat(object.with("d", "2")).isSameAs(object);
    JsonValue inner = JsonValue.of("[ 0, {\"a\":1} ]").items().get(1);
    assertThat(inner.with("a", "2").raw()).isEqualTo("{\"a\":2}");
    assertThat(inner.without("a")).isEqualTo("{}");
  }

  @Test
  void theWeightGrowsWithEveryValue() {
    long number = JsonValue.of("0").weight();
    long list = JsonValue.of("[]").weight();
    long member = JsonValue.of("{\"a\":0}").weight() - list - number;
    assertThat(number).isBetween(40L, 60L);
    assertThat(list).isBetween(2 * number, 4 * number);
    assertThat(JsonValue.of("{}").weight()).isEqualTo(list);
    assertThat(member).isBetween(16L, 40L);
    assertThat(JsonValue.of("[0,[0],{\"a\":0,\"b\":[]}]").weight())
        .isEqualTo(4 * list + 3 * number + 2 * member);
  }

  @Test
  void whatWasNotParsedIsNotTakenForEmpty() throws Exception {
    JsonValue shallow =
        JsonValue.parse("[[1],{\"a\":1}]".getBytes(UTF_8), ParseOptions.LENIENT.withLevels(1));
    assertThat(shallow.items()).extracting(JsonValue::raw).containsExactly("[1]", "{\"a\":1}");
    assertThat(shallow.weight()).isGreaterThan(JsonValue.of("[[],{}]").weight() - 1);
    assertThatThrownBy(() -> shallow.items().get(0).items())
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> shallow.items().get(1).fields())
        .isInstanceOf(NullPointerException.class);
  }
}
