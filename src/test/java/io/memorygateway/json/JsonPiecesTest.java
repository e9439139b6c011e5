package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.primitives.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
  void aTextCanBeEndedInThePlaceOfAnyPiece() {
    String value = "x\\u00e4\\n\u00e4\u4e2d\ud55c\ud83d\ude00\udbff\udfff.";
    byte[] text =
        ("{\"name\":[1,{\"b\":\"" + value + "\",\"n\":[1]},\"c\"],\"d\":{}}").getBytes(UTF_8);
    for (int at = 0; at < text.length; at++) {
      byte[] whole = Bytes.concat(Arrays.copyOf(text, at), ended(text, at));
      assertThat(Utf8.isValid(whole)).as("at %d", at).isTrue();
      assertThat(JsonValue.isValid(new String(whole, UTF_8))).as("at %d", at).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[{\"a\":\"x|y\",\"b\":\"z\"}]|\"}]",
        "[{\"a|b\":1,\"c\":\"x\",\"d\":\"y\"}]|b\":1,\"c\":\"\"}]",
        "[{\"a\":\"x\"|,\"b\":1,\"c|,\"b\":1,\"c",
      })
  void ofAPieceNoValueIsLeft(String before, String piece, String left) {
    byte[] text = (before + piece).getBytes(UTF_8);
    assertThat(new String(ended(text, before.length()), UTF_8)).isEqualTo(left);
  }

  private static byte[] ended(byte[] text, int at) {
    JsonPieces cut = new JsonPieces((member, part) -> {});
    cut.feed(text, 0, at);
    cut.feed(text, at, text.length - at);
    return cut.end(text, at);
  }

  @Test
  void theShortMembersOfObjectsThatAreNotDeepAreKept() {
    byte[] bytes =
        ("data: {\"id\":\"a\\n"
                + "\",\"n\":12,\"f\":1.5,\"big\":1234567890123456,\"x\":{\"id\":\"b\",\"deep\":{\"id\":\"c\",\"d\":{\"d\":{\"n\":1}}},\"l\":[\"c\"],\"m\":3},"
                + "\"id\":\"c\",\"long\":\"%s\",\"list\":[4,\"d\",{\"n\":7}],\"e\":\"\",\"last\":5}")
            .formatted("x".repeat(5000))
            .getBytes(UTF_8);
    for (int size : new int[] {1, 7, bytes.length}) {
      JsonPieces fed = new JsonPieces((member, text) -> {});
      for (int at = 0; at < bytes.length; at += size) {
        fed.feed(bytes, at, Math.min(size, bytes.length - at));
        fed.flush(Set.of("long"));
      }
      assertThat(fed.head().raw())
          .isEqualTo(
              "{\"id\":\"a\\n"
                  + "\",\"n\":12,\"e\":\"\",\"last\":5,\"x\":{\"id\":\"b\",\"m\":3,\"deep\":{\"id\":\"c\"}}}");
    }
  }

  @Test
  void ofVeryManyMembersTheFirstAreKept() {
    for (String member : List.of("\"a%d\":1", "\"a%d\":{\"n\":1}")) {
      JsonPieces fed = new JsonPieces((name, text) -> {});
      for (int i = 0; i < 1000; i++) {
        byte[] bytes = ((i == 0 ? "{" : ",") + member.formatted(i)).getBytes(UTF_8);
        fed.feed(bytes, 0, bytes.length);
      }
      assertThat(fed.head().fields()).hasSizeBetween(128, 256);
    }
  }

  @Test
  void whatIsNoJsonHasStringsToo() {
    feed("}]\"a\":{NaN,\"b\":-Infinity,\"c\":\"d\"");
    assertThat(told).containsExactly("=a", "c=d");
  }

  @Test
  void whatIsNoUtf8IsToldInPartsToo() {
    byte[] bytes = new byte[64 << 10];
    Arrays.fill(bytes, (byte) 0xC3);
    feed("\"");
    pieces.feed(bytes, 0, bytes.length);
    assertThat(told).hasSizeGreaterThan(10);
  }

  @Test
  void whatHasComeOfAStringCanBeTold() {
    feed("{\"a\":\"b\",\"c\":\"d");
    pieces.flush(Set.of("a"));
    assertThat(told).containsExactly("a=b");
    pieces.flush(Set.of("c"));
    feed("e\"}");
    assertThat(told).containsExactly("a=b", "c=d", "c=e");
  }

  private void feed(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    pieces.feed(bytes, 0, bytes.length);
  }
}
