package io.memorygateway.search;

import io.memorygateway.language.SmallWords;
import java.util.List;

/**
 * Gives words that are joined by hyphens as one too, because many are written in both ways: {@code
 * Wi-Fi}, {@code e-mail}, {@code XK7-00918-B}; and initials and the like with dots or {@code &}:
 * {@code U.S.A.}, {@code J. R. R.}, {@code R&D}, {@code node.js}. Numbers are left to {@link
 * NumberTerms}. Not safe for use by several threads at once.
 */
final class HyphenTerms {
  private static final int MAX_CHARACTERS = 40;

  /** Letters behind the last dot of U.S.A., Ph.D., EE.UU. and node.js. */
  private static final int MAX_LAST = 2;

  private final StringBuilder joined = new StringBuilder();
  private int end = -1;
  private boolean isJoined;
  private boolean tells;
  private boolean areInitials;

  /**
   * Takes the next word of a text.
   *
   * @return the words before as one, if they were joined and this one is not; and this one without
   *     its dots
   */
  List<String> next(String text, String word, int start, int newEnd) {
    String plain = withoutDots(word);
    boolean isDotted = !plain.isEmpty() && plain.length() < word.length();
    boolean isInitial = word.length() == 1;
    boolean continues = end >= 0 && isJoint(text, start, isInitial);
    boolean isAnd = continues && text.charAt(end) == '&';
    List<String> ended = continues ? List.of() : end();
    areInitials = isInitial && (areInitials || !continues);
    tells |= isAnd || !SmallWords.contains(word);
    isJoined = continues;
    if (joined.length() <= MAX_CHARACTERS) {
      joined.append(plain);
    }
    end = newEnd;
    return !isDotted ? ended : ended.isEmpty() ? List.of(plain) : List.of(ended.get(0), plain);
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
    areInitials = false;
    return ended;
  }

  /** A word of letters without its dots, if few stand behind the last. */
  private static String withoutDots(String word) {
    int letters = 0;
    for (int i = 0; i < word.length(); i++) {
      letters = word.charAt(i) == '.' ? 0 : letters + 1;
      if (Character.isDigit(word.charAt(i))) {
        return word;
      }
    }
    return letters > MAX_LAST ? word : word.replace(".", "");
  }

  private boolean isJoint(String text, int start, boolean isInitial) {
    char c = text.charAt(end);
    return switch (start - end) {
      case 1 -> c == '-' || c == '\u2010' || c == '\u2011' || (c == '&' && isInitial);
      case 2 -> c == '.' && text.charAt(end + 1) == ' ' && isInitial && areInitials;
      default -> false;
    };
  }
}
