package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JsonWriterTest {
  private static final String CHARACTERS =
      "az09 \"\\/\n"
          + "\t\r"
          + "\b\f\0\u0001\u001f\u007f\u0080\u00e9\u07ff\u0800\u20ac\uffff\ud83d\ude00\udbff\udfff\ud8c0\udc00";

  @Test
  void everyStringIsReadAgainAsItWas() throws Exception {
    Random random = new Random(20261122);
    for (int round = 0; round < 5000; round++) {
      StringBuilder string = new StringBuilder();
      for (int length = random.nextInt(12); length > 0; length--) {
        string.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
      }
      byte[] json = new JsonWriter(0).ascii("[").string(string.toString()).ascii("]").toBytes();
      assertThat(Utf8.isValid(json)).isTrue();
      JsonValue read = JsonValue.parse(json).items().get(0);
      assertThat(read.text()).isEqualTo(string.toString());
      assertThat(JsonWriter.quote(string.toString())).isEqualTo(read.raw());
    }
  }

  @Test
  void onlyWhatHasToBeIsEscaped() {
    assertThat(JsonWriter.quote("a/\u00e9\ud83d\ude00\u007f"))
        .isEqualTo("\"a/\u00e9\ud83d\ude00\u007f\"");
    assertThat(JsonWriter.quote("\"\\\n\u001f\ud83d")).isEqualTo("\"\\\"\\\\\\n\\u001f\\ud83d\"");
  }

  @Test
  void rawTextsAndScalarsAreWrittenAtAnyLength() {
    String digits = "1".repeat(100);
    JsonWriter out = new JsonWriter(0).ascii("[").raw(digits).ascii(",");
    out.raw("\"\u20ac\"".getBytes(UTF_8)).ascii(",").rawOrNull("{}").ascii(",").rawOrNull(null);
    out.ascii(",").numberOrNull(Long.MIN_VALUE).ascii(",").numberOrNull(null);
    out.ascii(",").bool(true).ascii(",").bool(false);
    out.ascii(",").time(Instant.EPOCH).ascii(",").time(null).ascii("]");
    String expected =
        "["
            + digits
            + ",\"\u20ac\",{},null,-9223372036854775808,null,true,false,"
            + "\"1970-01-01T00:00:00.000Z\",null]";
    assertThat(out.toString()).isEqualTo(expected);
    assertThat(out.length()).isEqualTo(expected.getBytes(UTF_8).length);
    assertThat(out.toBytes()).isEqualTo(expected.getBytes(UTF_8));
  }

  @Test
  void whatWasWrittenLastIsTakenBack() {
    JsonWriter out = new JsonWriter(4).ascii("[").number(-12);
    int before = out.length();
    out.ascii(",").string(null).truncate(before);
    assertThat(out.ascii("]").toBytes()).isEqualTo("[-12]".getBytes(UTF_8));
  }
}
