package io.memorygateway.search;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * The longer words of messages, without accents, each once: by them a word of a query that no
 * message contains finds those that begin or end with it, or of which it is made.
 */
final class Vocabulary {
  static final Vocabulary NONE = new Vocabulary("");

  /** Letters of the shortest word. */
  static final int MIN_LETTERS = 5;

  private static final int MAX_LETTERS = 40;
  private static final char END = '\n';

  /** All words, each between two line feeds. */
  private final String words;

  private Vocabulary(String words) {
    this.words = words;
  }

  static Vocabulary of(Collection<String> words) {
    return words.isEmpty() ? NONE : new Vocabulary(END + String.join("\n", words) + END);
  }

  /** Whether a word is one of letters alone, long enough, and not too long. */
  static boolean admits(String word, int letters) {
    return word.length() >= letters
        && word.length() <= MAX_LETTERS
        && word.chars().allMatch(Character::isLetter);
  }

  void addTo(Set<String> all) {
    if (!words.isEmpty()) {
      all.addAll(List.of(words.substring(1, words.length() - 1).split("\n", -1)));
    }
  }

  boolean has(String word) {
    return words.contains(END + word + END);
  }

  /** Some words that begin with these letters and have at most so many more. */
  List<String> beginning(String letters, int more) {
    List<String> found = new ArrayList<>();
    String wanted = END + letters;
    for (int at = words.indexOf(wanted);
        at >= 0 && found.size() < WiderQuery.MAX_WORDS;
        at = words.indexOf(wanted, at + 1)) {
      String word = words.substring(at + 1, words.indexOf(END, at + 1));
      if (word.length() <= letters.length() + more) {
        found.add(word);
      }
    }
    return found;
  }

  /** Words that end with these letters, so many at most. */
  List<String> ending(String letters, int limit) {
    List<String> found = new ArrayList<>();
    String wanted = letters + END;
    for (int at = words.indexOf(wanted);
        at >= 0 && found.size() < limit;
        at = words.indexOf(wanted, at + 1)) {
      found.add(words.substring(words.lastIndexOf(END, at) + 1, at + letters.length()));
    }
    return found;
  }

  /** Bytes of heap. */
  long weight() {
    return words.length();
  }
}
