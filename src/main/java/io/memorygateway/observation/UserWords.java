package io.memorygateway.observation;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The words that the user said in some passages. A task that a model names is kept only if it is
 * made of them: what a tool gave, a file holds or the assistant said asks for nothing.
 */
final class UserWords {
  /** Shorter words are in every text. */
  private static final int SHORTEST = 4;

  /** Of the words of a task, those that the user must have said; the rest may be paraphrased. */
  private static final double SHARE = 0.5;

  private final Set<String> words = new HashSet<>();

  UserWords(List<Passage> passages) {
    for (Passage passage : passages) {
      if (passage.role().equals("user")
          && passage.kind() == Passage.Kind.TEXT
          && passage.tool().isEmpty()) {
        words.addAll(Words.of(passage.text()));
      }
    }
  }

  /** The task, if it is the user's; else null. */
  @Nullable String task(@Nullable String named) {
    if (named == null) {
      return null;
    }
    Set<String> wanted = new HashSet<>(Words.of(named));
    if (wanted.stream().anyMatch(UserWords::isTelling)) {
      wanted.removeIf(word -> !isTelling(word));
    }
    long said = wanted.stream().filter(words::contains).count();
    return said > 0 && said >= SHARE * wanted.size() ? named : null;
  }

  /** Pairs of characters stand for words where a script sets no spaces. */
  private static boolean isTelling(String word) {
    return word.length() >= SHORTEST || word.codePointAt(0) > 0x0E00;
  }
}
