package io.memorygateway.search;

/**
 * About the tokens of a text, told by its characters: to count them takes most of the time that
 * recall has. Not safe for use by several threads at once.
 */
public final class RoughTokens {
  /** From here on scripts have a token for every or every second character. */
  private static final char FIRST_DENSE = '\u0900';

  private static final double DENSE = 0.75;
  private static final int LETTERS_OF_TOKEN = 7;

  private double tokens;
  private int letters;

  RoughTokens() {}

  public static int of(String text) {
    RoughTokens rough = new RoughTokens();
    for (int i = 0; i < text.length(); i++) {
      rough.add(text.charAt(i));
    }
    return rough.count();
  }

  void add(char c) {
    if (c < FIRST_DENSE && Character.isLetterOrDigit(c)) {
      tokens += letters % LETTERS_OF_TOKEN == 0 ? 1 : 0;
      letters++;
      return;
    }
    letters = 0;
    if (c >= FIRST_DENSE) {
      tokens += DENSE;
    } else if (!Character.isWhitespace(c)) {
      tokens++;
    }
  }

  int count() {
    return (int) tokens;
  }
}
