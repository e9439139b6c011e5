package io.memorygateway.observation.text;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Words that mark a sentence worth noting, by kind, in several languages. */
final class SignalWords {
  private static final char FIRST_ARABIC = '\u0600';
  private static final char LAST_ARABIC = '\u06ff';

  /** Letters of a word that may have an ending. */
  private static final int MIN_ENDED = 4;

  private final Map<String, Set<String>> kinds = new HashMap<>();

  private SignalWords() {}

  static SignalWords load() {
    SignalWords words = new SignalWords();
    PromptTemplate.load("signal-words").text().lines().forEach(words::read);
    return words;
  }

  private void read(String line) {
    int colon = line.indexOf(':');
    if (!line.startsWith("#") && colon > 0) {
      String kind = line.substring(0, line.indexOf(' '));
      kinds
          .computeIfAbsent(kind, name -> new HashSet<>())
          .addAll(List.of(line.substring(colon + 1).strip().split(" ")));
    }
  }

  /** Whether a word is so frequent in its language that it says nothing. */
  boolean isCommon(String word) {
    Set<String> usual = kinds.getOrDefault("usual", Set.of());
    return is(usual, word)
        || (Words.isUnspaced(word)
            && usual.contains(word.substring(word.offsetByCodePoints(word.length(), -1))));
  }

  /** Whether the words are nothing but greetings, thanks and the like. */
  boolean isCourtesy(List<String> words) {
    int courtesies = count("courtesy", words);
    int other = 0;
    for (String word : words) {
      other += is("courtesy", word) || is("usual", word) ? 0 : 1;
    }
    return courtesies > 0 && (other == 0 || (words.size() <= 8 && other <= courtesies));
  }

  private boolean is(String kind, String word) {
    return is(kinds.getOrDefault(kind, Set.of()), word);
  }

  /**
   * Whether a word is known; where a script has no spaces, by the first character of a pair, and in
   * Arabic by its last letters, which say whose something is.
   */
  private static boolean is(Set<String> known, String word) {
    int length = word.length();
    return known.contains(word)
        || (Words.isUnspaced(word)
            && known.contains(word.substring(0, word.offsetByCodePoints(0, 1))))
        || (length >= MIN_ENDED
            && word.charAt(length - 1) >= FIRST_ARABIC
            && word.charAt(length - 1) <= LAST_ARABIC
            && (known.contains("-" + word.substring(length - 1))
                || known.contains("-" + word.substring(length - 2))));
  }

  /**
   * Number of the words that are of a kind: {@code me}, {@code signal}, {@code date} or {@code
   * request}.
   */
  int count(String kind, List<String> words) {
    Set<String> known = kinds.getOrDefault(kind, Set.of());
    int count = 0;
    for (String word : words) {
      if (is(known, word)) {
        count++;
      }
    }
    return count;
  }
}
