package io.memorygateway.json;

import java.util.HexFormat;

/** Properties of strings that stores and other readers depend on. */
public final class Characters {
  private Characters() {}

  /** Length of a string in UTF-8, in bytes. */
  public static long utf8Length(String string) {
    long length = string.length();
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      if (c >= 0x80) {
        // Each half of a surrogate pair stands for two of its four bytes.
        length += c < 0x800 || Character.isSurrogate(c) ? 1 : 2;
      }
    }
    return length;
  }

  /** Whether a string is of one to so many digits. */
  public static boolean areDigits(String string, int max) {
    return !string.isEmpty()
        && string.length() <= max
        && string.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  /** Whether a string is one to so many characters that can be stored, none of them of control. */
  public static boolean areName(String string, int max) {
    return !string.isEmpty()
        && string.codePointCount(0, string.length()) <= max
        && string.chars().noneMatch(Character::isISOControl)
        && areStorable(string);
  }

  /**
   * Whether a string may be the name that an operator gives to something: as {@link #areName}, with
   * something to see in it, and nothing that turns the direction of what stands behind it.
   */
  public static boolean areShownName(String string, int max) {
    return areName(string, max)
        && string.codePoints().noneMatch(Characters::turnsDirection)
        && string.codePoints().anyMatch(Characters::isSeen);
  }

  /** What such a name must be, for messages. */
  public static String shownNameRule(int max) {
    return "must have 1 to "
        + max
        + " characters, one of them visible, and none a control character or one that turns the"
        + " direction of text";
  }

  /** Embeddings, overrides and isolates, but not the marks that Arabic and Hebrew texts have. */
  private static boolean turnsDirection(int character) {
    return (character >= 0x202A && character <= 0x202E)
        || (character >= 0x2066 && character <= 0x2069);
  }

  private static boolean isSeen(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SPACE_SEPARATOR,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.NON_SPACING_MARK,
          Character.ENCLOSING_MARK ->
          false;
      // Letters and a symbol by their types: fillers of Hangul, and the blank of Braille
      default -> "\u115F\u1160\u2800\u3164\uFFA0".indexOf(character) < 0;
    };
  }

  /** Whether a string may be the name of a header (RFC 9110). */
  public static boolean areHeaderName(String string) {
    return !string.isEmpty()
        && string
            .chars()
            .allMatch(
                c ->
                    (c >= '0' && c <= '9')
                        || (c >= 'A' && c <= 'Z')
                        || (c >= 'a' && c <= 'z')
                        || "!#$%&'*+-.^_`|~".indexOf(c) >= 0);
  }

  /** Number of hexadecimal digits of a string from an index on. */
  public static int hexDigits(String string, int from) {
    int at = from;
    while (at < string.length() && HexFormat.isHexDigit(string.charAt(at))) {
      at++;
    }
    return at - from;
  }

  /** Whether a string has neither the character NUL nor half a surrogate pair. */
  public static boolean areStorable(String string) {
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      if (c == 0) {
        return false;
      }
      if (Character.isSurrogate(c)) {
        if (!Character.isHighSurrogate(c)
            || i + 1 == string.length()
            || !Character.isLowSurrogate(string.charAt(i + 1))) {
          return false;
        }
        i++;
      }
    }
    return true;
  }

  /** Whether a text has this as a whole word from an index on; strokes are parts of words. */
  public static boolean isWord(String word, String text, int from) {
    for (int at = beginOfWord(word, text, from); at >= 0; at = beginOfWord(word, text, at + 1)) {
      int end = at + word.length();
      if (end == text.length() || !isOfName(text.charAt(end))) {
        return true;
      }
    }
    return false;
  }

  /** Where a text has this as the beginning of a word; -1 if nowhere. */
  public static int beginOfWord(String word, String text, int from) {
    int at = text.indexOf(word, from);
    while (at > 0 && isOfName(text.charAt(at - 1))) {
      at = text.indexOf(word, at + 1);
    }
    return at;
  }

  private static boolean isOfName(char c) {
    return c == '_' || c == '-' || Character.isLetterOrDigit(c);
  }
}
