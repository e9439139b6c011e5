package io.memorygateway.observation.text;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The words that the user wrote in some passages. A task that a model names is accepted only if it
 * consists of them: tools, files and the assistant cannot set tasks.
 */
final class UserWords {
  /** Characters; shorter words occur in every text. */
  private static final int MIN_CHARACTERS = 4;

  /** Share of the words of a task that the user must have written; the rest may be paraphrased. */
  private static final double SHARE = 0.5;

  private final Set<String> words = new HashSet<>();

  UserWords(List<Passage> passages) {
    for (Passage passage : passages) {
      if (passage.isSaidByUser()) {
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
    if (wanted.stream().anyMatch(UserWords::isDistinctive)) {
      wanted.removeIf(word -> !isDistinctive(word));
    }
    long matches = wanted.stream().filter(words::contains).count();
    return matches > 0 && matches >= SHARE * wanted.size() ? named : null;
  }

  /** Whether a word counts. In scripts without spaces, pairs of characters stand for words. */
  private static boolean isDistinctive(String word) {
    return word.length() >= MIN_CHARACTERS || word.codePointAt(0) > 0x0E00;
  }
}
