package io.memorygateway.observation.text;

import com.google.common.base.CharMatcher;

/** Finds positions at which texts may be cut. */
final class TextCuts {
  private TextCuts() {}

  /** The text with one space for each run of white space, and none at its ends. */
  static String onOneLine(String text) {
    return CharMatcher.forPredicate(Character::isWhitespace).trimAndCollapseFrom(text, ' ');
  }

  /** The index itself, or the one before it if it lies within a surrogate pair. */
  static int before(String text, int at) {
    return at > 0 && at < text.length() && Character.isLowSurrogate(text.charAt(at)) ? at - 1 : at;
  }

  /**
   * The best index to cut a text at: behind an empty line, a line, a sentence or a word; else
   * anywhere. Not before the middle between the two bounds.
   *
   * @param from where the part begins
   * @param latest the last possible index, within the text
   */
  static int best(String text, int from, int latest) {
    int earliest = from + (latest - from) / 2;
    // Bounds the search: one without a match would go back to the text's start.
    String searched = text.substring(earliest, latest);
    for (String separator : new String[] {"\n\n", "\n", ". ", "。", " "}) {
      int at = searched.lastIndexOf(separator);
      if (at >= 0) {
        return earliest + at + separator.length();
      }
    }
    return before(text, latest);
  }
}
