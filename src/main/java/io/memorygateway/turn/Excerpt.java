package io.memorygateway.turn;

import io.memorygateway.search.Passages;
import io.memorygateway.search.RoughTokens;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What is quoted of messages: short ones whole, of others the passages around what was asked.
 * Passages that were quoted before are left out, whoever repeats them.
 */
final class Excerpt {
  private static final String LEFT_OUT = " … ";

  /** Characters; shorter texts and sentences may be quoted again. */
  private static final int MIN_KNOWN = 30;

  private final Passages passages;
  private final Set<String> known = new HashSet<>();

  Excerpt(Passages passages) {
    this.passages = passages;
  }

  /**
   * The part of a text that is quoted; empty if nothing of it is new.
   *
   * @param tokens about the most that it has
   */
  String of(String text, int tokens) {
    if (RoughTokens.of(text) <= tokens) {
      return isNew(text) ? text : "";
    }
    SortedMap<Integer, Integer> chosen = new TreeMap<>();
    long left = tokens;
    for (Passages.Sentence sentence : passages.best(text, tokens - 2)) {
      String said = text.substring(sentence.start(), sentence.end());
      int own = RoughTokens.of(said) + 1;
      if (own > left) {
        break;
      }
      if (isNew(said)) {
        chosen.put(sentence.start(), sentence.end());
        left -= own;
      }
    }
    return joined(text, chosen);
  }

  private static String joined(String text, SortedMap<Integer, Integer> chosen) {
    StringBuilder excerpt = new StringBuilder();
    int last = 0;
    for (Map.Entry<Integer, Integer> range : chosen.entrySet()) {
      if (!text.substring(last, range.getKey()).isBlank()) {
        excerpt.append(LEFT_OUT);
      }
      excerpt.append(text, range.getKey(), range.getValue());
      last = range.getValue();
    }
    if (!chosen.isEmpty() && !text.substring(last).isBlank()) {
      excerpt.append(LEFT_OUT);
    }
    return excerpt.toString().strip();
  }

  private boolean isNew(String text) {
    String key = text.strip().toLowerCase(Locale.ROOT);
    return key.length() < MIN_KNOWN || known.add(key);
  }
}
