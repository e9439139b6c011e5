package io.memorygateway.observation.text;

/** Recognises sentences that say nothing themselves: headings, and forms to be filled in. */
final class Headings {
  private static final String[] PLACEHOLDERS = {
    "Your ", "Insert ", "Name", "Date", "Company", "Address"
  };

  private static final int MAX_PLACEHOLDER_CHARACTERS = 50;
  private static final int MAX_BOLD_CHARACTERS = 80;
  private static final int MAX_INTRODUCTION_CHARACTERS = 60;

  private Headings() {}

  /**
   * Whether a sentence is a heading, a rule, a fence, the head of a table, or only introduces a
   * list.
   */
  static boolean isOne(String sentence) {
    int level = run(sentence, 0, "#");
    return (level >= 1 && level <= 6 && sentence.startsWith(" ", level))
        || run(sentence, 0, "`~") >= 3
        || (sentence.length() >= 3 && run(sentence, 0, "-=*_|: ") == sentence.length())
        || isBold(sentence)
        || isIntroduction(sentence);
  }

  private static boolean isBold(String sentence) {
    int end = sentence.endsWith(":") ? sentence.length() - 1 : sentence.length();
    int middle = end - 4;
    if (middle < 1 || middle > MAX_BOLD_CHARACTERS || run(sentence, 0, "*_") != 2) {
      return false;
    }
    int words = 2;
    while (words < end && "*_".indexOf(sentence.charAt(words)) < 0) {
      words++;
    }
    return words == end - 2 && run(sentence, words, "*_") == 2;
  }

  private static boolean isIntroduction(String sentence) {
    int end = sentence.length();
    while (end > 0 && sentence.length() - end < 2 && "*_".indexOf(sentence.charAt(end - 1)) >= 0) {
      end--;
    }
    return end >= 2 && end <= MAX_INTRODUCTION_CHARACTERS + 1 && sentence.charAt(end - 1) == ':';
  }

  private static int run(String text, int from, String characters) {
    int at = from;
    while (at < text.length() && characters.indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    return at - from;
  }

  /** Whether a sentence has a place that somebody is to fill in: {@code [Your Phone Number]}. */
  static boolean hasPlaceholder(String sentence) {
    for (int open = sentence.indexOf('['); open >= 0; open = sentence.indexOf('[', open + 1)) {
      int latest = Math.min(sentence.length(), open + MAX_PLACEHOLDER_CHARACTERS);
      int close = open + sentence.substring(open, latest).indexOf(']');
      if (close > open
          && !sentence.startsWith("(", close + 1)
          && beginsPlaceholder(sentence, open + 1)) {
        return true;
      }
    }
    return false;
  }

  private static boolean beginsPlaceholder(String sentence, int at) {
    for (String beginning : PLACEHOLDERS) {
      if (sentence.startsWith(beginning, at)) {
        return true;
      }
    }
    return false;
  }
}
