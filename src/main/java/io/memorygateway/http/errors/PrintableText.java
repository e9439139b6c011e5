package io.memorygateway.http.errors;

import io.memorygateway.json.KeyText;

/** Makes clients' text fit for logs and tables: of bounded length, on one line, without keys. */
public final class PrintableText {
  private PrintableText() {}

  /**
   * Returns the text, cut after {@code maxLength} characters, with question marks for unprintable
   * ones.
   */
  public static String of(String text, int maxLength) {
    String shown = KeyText.masked(text, 0);
    int length = Math.min(shown.length(), maxLength);
    if (length > 0
        && length < shown.length()
        && Character.isHighSurrogate(shown.charAt(length - 1))) {
      length--;
    }
    for (int i = 0; i < length; i++) {
      if (!isPlain(shown.charAt(i))) {
        return replaced(shown, length);
      }
    }
    return length == shown.length() ? shown : shown.substring(0, length);
  }

  private static boolean isPlain(char c) {
    return c >= ' ' && c <= '~';
  }

  private static String replaced(String text, int length) {
    StringBuilder out = new StringBuilder(length);
    for (int i = 0; i < length; ) {
      int c = text.codePointAt(i);
      out.appendCodePoint(isPrintable(c) ? c : '?');
      i += Character.charCount(c);
    }
    return out.toString();
  }

  private static boolean isPrintable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
