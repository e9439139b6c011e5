package io.memorygateway.json;

/** Recognises keys and admin tokens of the gateway in texts: a prefix and hexadecimal digits. */
public final class KeyText {
  private static final int DIGITS = 32;

  /** Digits of the part of a key that may be shown. */
  public static final int SHOWN_DIGITS = 4;

  private KeyText() {}

  /** Whether the text is a key of this prefix and nothing else. */
  public static boolean isKey(String text, String prefix) {
    return text.length() == prefix.length() + DIGITS
        && text.startsWith(prefix)
        && Characters.hexDigits(text, prefix.length()) == DIGITS
        && text.chars().noneMatch(c -> c >= 'A' && c <= 'F');
  }

  /**
   * Whether the text contains the prefix and at least so many digits behind it, in letters of
   * either case.
   *
   * @param prefix letters and an underscore
   */
  public static boolean isIn(String text, String prefix, int digits) {
    int behind = text.indexOf('_') + 1;
    while (behind > 0) {
      if (text.regionMatches(true, behind - prefix.length(), prefix, 0, prefix.length())
          && Characters.hexDigits(text, behind) >= digits) {
        return true;
      }
      behind = text.indexOf('_', behind) + 1;
    }
    return false;
  }

  /**
   * The text with three asterisks for all but the first digits of each key and token that is longer
   * than what may be shown of it, in whichever case it is written.
   *
   * @param shown digits that stay
   */
  public static String masked(String text, int shown) {
    StringBuilder masked = new StringBuilder();
    int from = 0;
    int at = text.indexOf('_');
    while (at >= 0) {
      int digits = Characters.hexDigits(text, at + 1);
      if (digits > SHOWN_DIGITS
          && (text.regionMatches(true, at - 3, "msk", 0, 3)
              || text.regionMatches(true, at - 3, "msa", 0, 3))) {
        masked.append(text, from, at + 1 + shown).append("***");
        from = at + 1 + digits;
      }
      at = text.indexOf('_', at + 1);
    }
    return from == 0 ? text : masked.append(text, from, text.length()).toString();
  }
}
