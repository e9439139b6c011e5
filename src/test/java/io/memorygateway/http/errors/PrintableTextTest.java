package io.memorygateway.http.errors;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What clients send stands on one line, is of bounded length and holds no key. */
class PrintableTextTest {
  @Test
  void plainTextStaysAsItIs() {
    assertThat(PrintableText.of("gpt-5 (mini)", 20)).isEqualTo("gpt-5 (mini)");
    assertThat(PrintableText.of("größer 模型 😀", 20)).isEqualTo("größer 模型 😀");
    assertThat(PrintableText.of("", 20)).isEmpty();
  }

  @Test
  void longTextIsCutBetweenCharacters() {
    assertThat(PrintableText.of("abcdef", 3)).isEqualTo("abc");
    assertThat(PrintableText.of("ab😀", 3)).isEqualTo("ab");
  }

  @Test
  void whatCannotBePrintedIsReplaced() {
    assertThat(PrintableText.of("a\r\nb\u2028c\u202ed\u0000\ud800e", 20)).isEqualTo("a??b?c?d??e");
  }

  @Test
  void keysOfTheGatewayAreMasked() {
    assertThat(PrintableText.of("x msk_0123456789abcdef0123456789abcdef y", 40))
        .isEqualTo("x msk_*** y");
    assertThat(PrintableText.of("x MSK_0123456789ABCDEF0123456789ABCDEF y", 40))
        .isEqualTo("x MSK_*** y");
  }

  @Test
  void aBoundedLabelHasOneNameForWhatIsTooMany() {
    BoundedLabel label = new BoundedLabel(2);

    assertThat(label.of("a")).isEqualTo("a");
    assertThat(label.of("b")).isEqualTo("b");
    assertThat(label.of("c")).isEqualTo("other");
    assertThat(label.of("a")).isEqualTo("a");
  }
}
