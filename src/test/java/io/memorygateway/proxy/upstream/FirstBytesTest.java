package io.memorygateway.proxy.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FirstBytesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "data:",
        "data: {}",
        "event: ping\n",
        "id: 7\n",
        "retry: 1\n",
        ": hi",
        ":",
        "\uFEFFdata: x",
        "\r\n\ndata: x"
      })
  void aLineOfAnEventBeginsAStream(String text) {
    assertThat(of(text, false)).isEqualTo(FirstBytes.EVENTS);
    for (int i = 0; i < text.length() - 1; i++) {
      FirstBytes before = of(text.substring(0, i), false);
      assertThat(before).isIn(FirstBytes.UNDECIDED, FirstBytes.EVENTS);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"id\":1}", "<html>", "database", " data: x", "x\uFEFF", "\uFEFF{"})
  void nothingElseDoes(String text) {
    assertThat(of(text, false)).isEqualTo(FirstBytes.OTHER);
  }

  @ParameterizedTest
  @CsvSource({"''", "dat", "'\n'", "\uFEFF"})
  void whatEndsBeforeItIsALineIsNone(String text) {
    assertThat(of(text, false)).isEqualTo(FirstBytes.UNDECIDED);
    assertThat(of(text, true)).isEqualTo(FirstBytes.OTHER);
  }

  @Test
  void emptyLinesAreNotReadForEver() {
    assertThat(of("\n".repeat(FirstBytes.MAX - 1), false)).isEqualTo(FirstBytes.UNDECIDED);
    assertThat(of("\n".repeat(FirstBytes.MAX), false)).isEqualTo(FirstBytes.OTHER);
  }

  private static FirstBytes of(String text, boolean last) {
    return FirstBytes.of(text.getBytes(UTF_8), last);
  }
}
