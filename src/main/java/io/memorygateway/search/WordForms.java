package io.memorygateway.search;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.language.Language;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The terms by which messages may have a word: its stem in each language, and those of its other
 * spellings. Those of the words that were asked for last are kept, unless they are long: to stem
 * one in all languages takes longer than to look for it.
 */
final class WordForms {
  private static final long MAX_BYTES = 8 << 20;

  /** Characters; longer words are not asked for again. */
  private static final int MAX_CHARACTERS = 64;

  /** Bytes of a word that is kept, besides its characters and terms. */
  private static final int OVERHEAD = 200;

  /** Numbers and their names, of which messages may have either. */
  private static final Map<String, List<String>> SPELLINGS = spellings();

  private static Map<String, List<String>> spellings() {
    Map<String, List<String>> spellings = new HashMap<>();
    int number = 2;
    for (String names :
        "two zwei deux dos/three drei trois tres/four vier quatre cuatro/five funf cinq cinco/six sechs seis/seven sieben siete/eight acht huit ocho/nine neun nueve/ten zehn dix diez"
            .split("/", -1)) {
      String digits = String.valueOf(number++);
      List<String> all = List.of(names.split(" ", -1));
      spellings.put(digits, all);
      all.forEach(name -> spellings.put(name, List.of(digits)));
    }
    return spellings;
  }

  private record Key(String word, String spelled) {}

  private final Cache<Key, int[]> kept =
      Caffeine.newBuilder()
          .maximumWeight(MAX_BYTES)
          .weigher(
              (Key key, int[] terms) ->
                  OVERHEAD
                      + 2 * (key.word.length() + key.spelled.length())
                      + Integer.BYTES * terms.length)
          .build();

  /**
   * The terms of a word.
   *
   * @param spelled the same word with digraphs for its umlauts
   */
  int[] of(String word, String spelled, TermReader reader) {
    if (Math.max(word.length(), spelled.length()) > MAX_CHARACTERS) {
      return read(word, spelled, reader);
    }
    Key key = new Key(word, spelled);
    int[] known = kept.getIfPresent(key);
    if (known == null) {
      known = read(word, spelled, reader);
      kept.put(key, known);
    }
    return known;
  }

  private static int[] read(String word, String spelled, TermReader reader) {
    Set<String> spellings = new LinkedHashSet<>(List.of(word, spelled));
    spellings.addAll(SPELLINGS.getOrDefault(word, List.of()));
    if (word.length() > 3 && !isFrequent(word)) {
      spellings.add(word.replace("ae", "a").replace("oe", "o").replace("ue", "u"));
    }
    Language[] languages = Language.values();
    // A word itself as well: Hebrew may have lost a prefix, which is a letter of the word here.
    int[] forms = new int[spellings.size() * (languages.length + 1)];
    int count = 0;
    for (String spelling : spellings) {
      forms[count++] = TermReader.hash(spelling);
      for (Language language : languages) {
        forms[count++] = reader.term(spelling, true, language);
      }
    }
    return forms;
  }

  /** Whether a word is among the most frequent ones of a language. */
  static boolean isFrequent(String word) {
    for (Language language : Language.values()) {
      if (language.isFrequent(word)) {
        return true;
      }
    }
    return false;
  }
}
