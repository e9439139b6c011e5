package io.memorygateway.search;

import io.memorygateway.language.SmallWords;
import java.util.List;

/**
 * Gives words that are joined by hyphens as one too, because many are written in both ways: {@code
 * Wi-Fi}, {@code e-mail}, {@code XK7-00918-B}. Numbers are left to {@link NumberTerms}. Not safe
 * for use by several threads at once.
 */
final class HyphenTerms {
  private static final int MAX_CHARACTERS = 40;

  private final StringBuilder joined = new StringBuilder();
  private int end = -1;
  private boolean isJoined;
  private boolean tells;

  /**
   * Takes the next word of a text.
   *
   * @return the words before as one, if they were joined and this one is not
   */
  List<String> next(String text, String word, int start, int newEnd) {
    boolean continues = end >= 0 && start == end + 1 && isHyphen(text.charAt(end));
    List<String> ended = continues ? List.of() : end();
    isJoined = continues;
    tells |= !SmallWords.contains(word);
    if (joined.length() <= MAX_CHARACTERS) {
      joined.append(word);
    }
    end = newEnd;
    return ended;
  }

  /** The words that the text ends with as one, if they are joined. */
  List<String> end() {
    boolean isTerm =
        isJoined
            && tells
            && joined.length() <= MAX_CHARACTERS
            && joined.chars().anyMatch(Character::isLetter);
    List<String> ended = isTerm ? List.of(joined.toString()) : List.of();
    joined.setLength(0);
    end = -1;
    isJoined = false;
    tells = false;
    return ended;
  }

  private static boolean isHyphen(char c) {
    return c == '-' || c == '\u2010' || c == '\u2011';
  }
}
