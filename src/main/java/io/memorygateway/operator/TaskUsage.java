package io.memorygateway.operator;

import java.util.List;

/**
 * The name, help and words of a task, known before there is anything to work on.
 *
 * @param name such as {@code key-issue}: the last part of the path on the admin port
 * @param words that it takes
 * @param hasTable whether a terminal gets {@link AdminTask#table} unless it asks for JSON
 */
public record TaskUsage(String name, String help, List<Word> words, boolean hasTable) {
  public TaskUsage {
    words = List.copyOf(words);
  }

  /** Of a task whose answer is the same everywhere. */
  public static TaskUsage of(String name, String help, List<Word> words) {
    return new TaskUsage(name, help, words, false);
  }
}
