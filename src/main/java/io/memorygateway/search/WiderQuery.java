package io.memorygateway.search;

import io.memorygateway.language.SmallWords;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds what stands for a word of a query that no message contains, among the words that there are:
 * those that begin with it, compounds that end with it, the words of which it is a compound, and
 * else other forms of it, which differ in their last letters; of a hash, what it begins with or
 * what begins with it.
 */
record WiderQuery(List<Vocabulary> vocabularies) {
  /** The most words that stand for one. */
  static final int MAX_WORDS = 16;

  private static final int MIN_BEGINNING = 4;

  /** Letters of a word with which a compound ends; shorter ones are endings of too many others. */
  private static final int MIN_ENDING = 7;

  /** Letters of a part of a compound of which the rest is not known. */
  private static final int MIN_PART = 9;

  /** What stands between the parts of a compound. */
  private static final List<String> JOINTS = List.of("", "s", "n", "en", "es", "e", "er");

  private static final int MAX_ENDING = 3;

  /** Digits that a hash has more than its beginning. */
  private static final int MAX_HASH = 33;

  /** Some words that stand for a word; none for one that says little. */
  Set<String> instead(String word) {
    Set<String> found = new LinkedHashSet<>();
    if (!Vocabulary.admits(word, MIN_BEGINNING) || SmallWords.contains(word)) {
      return found;
    }
    if (Vocabulary.isHash(word)) {
      for (int length = Vocabulary.MIN_HASH; length < word.length(); length++) {
        String beginning = word.substring(0, length);
        add(found, has(beginning) ? List.of(beginning) : List.of());
      }
      vocabularies.forEach(words -> add(found, words.beginning(word, MAX_HASH)));
      return found;
    }
    for (Vocabulary words : vocabularies) {
      add(found, words.beginning(word, Integer.MAX_VALUE - word.length()));
      if (word.length() >= MIN_ENDING) {
        add(found, words.ending(word, MAX_WORDS));
      }
    }
    if (found.isEmpty()) {
      found.addAll(parts(word));
    }
    int kept = word.length() < 8 ? word.length() - 1 : word.length() - 2;
    if (found.isEmpty() && kept >= Vocabulary.MIN_LETTERS) {
      vocabularies.forEach(
          words ->
              add(
                  found,
                  words.beginning(word.substring(0, kept), word.length() - kept + MAX_ENDING)));
    }
    return found;
  }

  private static void add(Set<String> found, List<String> more) {
    more.stream().limit(MAX_WORDS - found.size()).forEach(found::add);
  }

  private Set<String> parts(String word) {
    // The longest first.
    for (int at = MIN_BEGINNING; at <= word.length() - Vocabulary.MIN_LETTERS; at++) {
      String last = word.substring(at);
      if (!has(last)) {
        continue;
      }
      String first = first(word.substring(0, at));
      if (!first.isEmpty()) {
        return Set.of(first, last);
      }
      if (last.length() >= MIN_PART) {
        return Set.of(last);
      }
    }
    return Set.of();
  }

  private String first(String letters) {
    for (String joint : JOINTS) {
      String first = letters.substring(0, Math.max(0, letters.length() - joint.length()));
      if (letters.endsWith(joint) && has(first)) {
        return first;
      }
    }
    return "";
  }

  private boolean has(String word) {
    return word.length() >= Vocabulary.MIN_LETTERS
        && vocabularies.stream().anyMatch(words -> words.has(word));
  }
}
