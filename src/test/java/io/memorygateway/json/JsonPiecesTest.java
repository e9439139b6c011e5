package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Strings of a text are told wherever it is cut, and a text that breaks off can be ended. */
class JsonPiecesTest {
  private static final String TEXT =
      """
      data: {"a":"b","list":["c",{"d":{"e":"\\u00e4\\"{[\\\\"},"n":[1,{}]},"f"],"empty":"","g": "\u4e2d"}
      """;

  private final List<String> told = new ArrayList<>();
  private final JsonPieces pieces = new JsonPieces((member, text) -> told.add(member + "=" + text));

  @Test
  void stringsAreToldWithTheNamesOfTheirMembers() {
    byte[] bytes = TEXT.getBytes(UTF_8);
    for (int size = 1; size <= bytes.length; size++) {
      told.clear();
      for (int at = 0; at < bytes.length; at += size) {
        pieces.feed(bytes, at, Math.min(size, bytes.length - at));
      }
      assertThat(told).containsExactly("a=b", "list=c", "e=\u00e4\"{[\\", "n=f", "g=\u4e2d");
      assertThat(pieces.rest()).isEmpty();
    }
  }

  @Test
  void aLongStringIsToldInParts() {
    feed("{\"a\":\"" + "\\u00e4".repeat(10_000));
    assertThat(told).hasSize(60_000 / 4096).allSatisfy(part -> assertThat(part).hasSize(2 + 683));

    feed("\",\"" + "k".repeat(10_000) + "\":\"v\"}");
    assertThat(String.join("", told).replace("a=", "")).startsWith("\u00e4".repeat(10_000));
    assertThat(told.get(told.size() - 1)).endsWith("=v");
    assertThat(told).hasSize(60_000 / 4096 + 2);
  }

  @Test
  void aTextThatBreaksOffInAStringCanBeEnded() {
    String begin = "{\"a\":[{\"b\":\"x\\u00e4\\n";
    for (int end = begin.indexOf('x'); end <= begin.length(); end++) {
      JsonPieces cut = new JsonPieces((member, text) -> {});
      byte[] bytes = begin.substring(0, end).getBytes(UTF_8);
      cut.feed(bytes, 0, bytes.length);
      assertThat(JsonValue.isValid(begin.substring(0, end) + cut.rest())).isTrue();
    }
  }

  @Test
  void whatIsNoJsonHasStringsToo() {
    feed("}]\"a\":{NaN,\"b\":-Infinity,\"c\":\"d\"");
    assertThat(told).containsExactly("=a", "c=d");
  }

  private void feed(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    pieces.feed(bytes, 0, bytes.length);
  }
}
