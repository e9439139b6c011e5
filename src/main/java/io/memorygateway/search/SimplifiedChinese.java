package io.memorygateway.search;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** The simplified form of Chinese characters, in which both are compared. */
final class SimplifiedChinese {
  private static final Map<Character, Character> FORMS = read();

  private SimplifiedChinese() {}

  private static Map<Character, Character> read() {
    try (InputStream file =
        Objects.requireNonNull(
            SimplifiedChinese.class.getResourceAsStream("/search/simplified.txt"))) {
      String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      int half = text.indexOf('\n');
      Map<Character, Character> forms = new HashMap<>();
      for (int i = 0; i < half; i++) {
        forms.put(text.charAt(i), text.charAt(half + 1 + i));
      }
      return Map.copyOf(forms);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The form of a character in which it is compared: itself, if it is no traditional one. */
  static char of(char c) {
    return c < '\u4e00' || c > '\u9fff' ? c : FORMS.getOrDefault(c, c);
  }
}
