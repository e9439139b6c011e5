package io.memorygateway.observation.text;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Words that mark a sentence worth noting, by kind, in several languages. */
final class SignalWords {
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
    return is("usual", word);
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
    return kinds.getOrDefault(kind, Set.of()).contains(word);
  }

  /**
   * Number of the words that are of a kind: {@code me}, {@code signal}, {@code date} or {@code
   * request}.
   */
  int count(String kind, List<String> words) {
    Set<String> known = kinds.getOrDefault(kind, Set.of());
    int count = 0;
    for (String word : words) {
      if (known.contains(word)) {
        count++;
      }
    }
    return count;
  }
}
