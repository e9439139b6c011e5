package io.memorygateway.search;

import static java.util.stream.Collectors.joining;

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

  /** Digits of the shortest beginning of a hash that is told. */
  static final int MIN_HASH = 7;

  private static final int MAX_LETTERS = 40;
  private static final char END = '\n';

  /** All words in their order, each between two line feeds. */
  private final String words;

  private Vocabulary(String words) {
    this.words = words;
  }

  static Vocabulary of(Collection<String> words) {
    return words.isEmpty()
        ? NONE
        : new Vocabulary(END + words.stream().sorted().collect(joining("\n")) + END);
  }

  /**
   * Whether a word is one of letters and their marks alone, or a hash, long enough, and not too
   * long.
   */
  static boolean admits(String word, int letters) {
    return word.length() >= letters
        && word.length() <= MAX_LETTERS
        && (word.chars().allMatch(c -> Character.isLetter(c) || isMark(c)) || isHash(word));
  }

  /** Whether a word may be a hash, or what it begins with, with digits and letters. */
  static boolean isHash(String word) {
    return word.length() >= MIN_HASH
        && word.chars().allMatch(c -> Character.digit(c, 16) >= 0)
        && word.chars().anyMatch(Character::isDigit)
        && word.chars().anyMatch(Character::isLetter);
  }

  /** Whether a character is a vowel sign or the like, of the scripts of India. */
  private static boolean isMark(int c) {
    int type = Character.getType(c);
    return type == Character.NON_SPACING_MARK || type == Character.COMBINING_SPACING_MARK;
  }

  void addTo(Set<String> all) {
    if (!words.isEmpty()) {
      all.addAll(List.of(words.substring(1, words.length() - 1).split("\n", -1)));
    }
  }

  boolean has(String word) {
    int at = first(word);
    return words.startsWith(word, at) && words.charAt(at + word.length()) == END;
  }

  /** Some words that begin with these letters and have at most so many more. */
  List<String> beginning(String letters, int more) {
    List<String> found = new ArrayList<>();
    int at = first(letters);
    while (words.startsWith(letters, at) && found.size() < WiderQuery.MAX_WORDS) {
      int end = words.indexOf(END, at);
      if (end - at <= letters.length() + more) {
        found.add(words.substring(at, end));
      }
      at = end + 1;
    }
    return found;
  }

  /** Where the first word begins that does not stand before some letters; behind all if none. */
  private int first(String letters) {
    int low = 1;
    int high = words.length();
    while (low < high) {
      int middle = words.lastIndexOf(END, (low + high) / 2 - 1) + 1;
      int next = words.indexOf(END, middle) + 1;
      if (words.substring(middle, next - 1).compareTo(letters) < 0) {
        low = next;
      } else {
        high = middle;
      }
    }
    return low;
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
