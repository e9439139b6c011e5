package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemberSearchTest {
  private static final MemberSearch SEARCH = new MemberSearch("usage", "error");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"usage\":1}",
        "{\"error\":{}}",
        "{\"a\":[{\"b\":2},{\"usage\" \t:\n {\"x\":1}}]}",
        "{\"usage\"\r\n:\r\n1}",
        "{\"usage\":null,\"usage\":1}",
        "{\"use\":1,\"usages\":2,\"error\":\"null\"}",
        "\"usage\":1",
        // cut off, so that the value may be anything
        "{\"usage\":",
        "{\"usage\": ",
      })
  void findsEveryMemberWithAValue(String json) {
    assertThat(find(json)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "{\"usage\":null}",
        "{\"usage\" : \t\r\nnull}",
        "{\"a\":\"usage\",\"b\":1}",
        "[\"usage\"]",
        "[\"usage\",\"error\" ]",
        "{\"usages\":1,\"xusage\":1,\"utage\":1,\"u\":1}",
        "{\"USAGE\":1}",
        "usage:1",
        "{\"usage\"",
        "{\"usage\" ",
        "{\"usag",
      })
  void findsNothingElse(String json) {
    assertThat(find(json)).isFalse();
  }

  @Test
  void looksOnlyIntoTheRange() {
    byte[] data = "{\"usage\":1}".getBytes(UTF_8);
    assertThat(SEARCH.find(data, 1, 9)).isTrue();
    assertThat(SEARCH.find(data, 2, data.length)).isFalse();
    assertThat(SEARCH.find(data, 0, 8)).isFalse();
    assertThat(SEARCH.find(data, 0, 5)).isFalse();
    byte[] spaced = "{\"usage\" : n".getBytes(UTF_8);
    assertThat(SEARCH.find(spaced, 0, 11)).isTrue();
    assertThat(SEARCH.find(spaced, 0, 12)).isFalse();
  }

  private static boolean find(String json) {
    byte[] padded = ("\"usage\":1" + json + "\"usage\":1").getBytes(UTF_8);
    int pad = "\"usage\":1".length();
    return SEARCH.find(padded, pad, padded.length - pad);
  }
}
