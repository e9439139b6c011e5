package io.memorygateway.console;

import io.memorygateway.http.errors.ApiException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What members of a body give for the words of a task, in whose form they are checked. */
final class TaskWords {
  private TaskWords() {}

  /** Adds a word, unless it is null. */
  static void give(Map<String, String> words, String name, @Nullable String value) {
    if (value != null) {
      words.put(name, value);
    }
  }

  /**
   * Adds a list, unless it is null; one without entries is an empty word.
   *
   * @throws ApiException 400 for an entry that would be none, or several, among those of a word
   */
  static void give(
      Map<String, String> words, String name, @Nullable List<@Nullable String> entries) {
    if (entries == null) {
      return;
    }
    if (entries.stream().anyMatch(each -> each == null || each.isBlank() || each.contains(","))) {
      throw ApiException.invalidRequest(name + " has an entry that is empty or has a comma.");
    }
    words.put(name, String.join(",", entries));
  }
}
