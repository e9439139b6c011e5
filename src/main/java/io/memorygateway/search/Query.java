package io.memorygateway.search;

import io.memorygateway.language.Language;
import io.memorygateway.language.SmallWords;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Query of a search: distinct words, each with the forms in which messages may contain it. */
final class Query {
  /** Words of a query; more would not improve the result, and each costs time. */
  static final int MAX_WORDS = 64;

  /** Slots, far more than words × forms, so that most terms of messages hit a free slot first. */
  private static final int TABLE = 4096;

  private final int[] hashes = new int[TABLE];
  private final byte[] slots = new byte[TABLE]; // 0: free, otherwise the word's index + 1
  private final List<String> words = new ArrayList<>();

  /** Characters of a query that are read. */
  static final int MAX_CHARACTERS = 10_000;

  /** The query of a text; if it is long, without its most frequent words. */
  static Query of(String text, TermReader reader) {
    Map<String, Boolean> words = new LinkedHashMap<>();
    reader.read(
        text.substring(0, Math.min(text.length(), MAX_CHARACTERS)),
        (word, spaced) -> {
          words.putIfAbsent(word, spaced);
          return true;
        });
    boolean isLong = words.size() > MAX_WORDS;
    Query query = new Query();
    words.forEach(
        (word, spaced) -> {
          if (query.size() < MAX_WORDS && !(isLong && isFrequent(word))) {
            query.add(word, forms(word, spaced, reader));
          }
        });
    return query;
  }

  private static int[] forms(String word, boolean spaced, TermReader reader) {
    if (!spaced) {
      return new int[] {Terms.hash(word)};
    }
    Language[] languages = Language.values();
    int[] forms = new int[languages.length];
    for (int i = 0; i < forms.length; i++) {
      forms[i] = reader.term(word, true, languages[i]);
    }
    return forms;
  }

  private static boolean isFrequent(String word) {
    for (Language language : Language.values()) {
      if (language.isFrequent(word)) {
        return true;
      }
    }
    return false;
  }

  private void add(String word, int[] forms) {
    for (int form : forms) {
      if (slot(form) >= 0) {
        return; // another form of a word that is in the query already
      }
    }
    words.add(word);
    for (int form : forms) {
      int at = tableIndex(form);
      hashes[at] = form;
      slots[at] = (byte) words.size();
    }
  }

  private int tableIndex(int hash) {
    int at = hash & (TABLE - 1);
    while (slots[at] != 0 && hashes[at] != hash) {
      at = (at + 1) & (TABLE - 1);
    }
    return at;
  }

  /** The index of the word that a term belongs to; -1 if it belongs to none. */
  int slot(int term) {
    int at = term & (TABLE - 1);
    while (slots[at] != 0) {
      if (hashes[at] == term) {
        return slots[at] - 1;
      }
      at = (at + 1) & (TABLE - 1);
    }
    return -1;
  }

  /** Whether a text says something: a greeting does not, nor a smiley. */
  static boolean says(String text, TermReader reader) {
    return of(SmallWords.withoutUnspaced(text), reader).words.stream()
        .anyMatch(
            word -> Character.isLetterOrDigit(word.codePointAt(0)) && !SmallWords.contains(word));
  }

  /** How much some of the words tell together, those that say something by themselves. */
  double information(List<String> some, WordWeights weights) {
    double sum = 0;
    for (String word : some) {
      sum += SmallWords.contains(word) ? 0 : weights.alone()[words.indexOf(word)];
    }
    return sum;
  }

  int size() {
    return words.size();
  }

  String word(int index) {
    return words.get(index);
  }
}
