package io.memorygateway.observation;

import java.time.Instant;

/**
 * A piece of a conversation as an observer reads it.
 *
 * @param role of whoever said it
 * @param time when it was said
 * @param tool name of the tool that is called or answers, {@code attachment} for a text that a file
 *     holds; empty for the rest
 * @param text what was said, the arguments, the result, or the name of the image or file
 */
record Passage(String role, Instant time, Kind kind, String tool, String text) {

  /** What it is, and how a frame says so. */
  enum Kind {
    TEXT("text"),
    TOOL_CALL("tool-call"),
    TOOL_RESULT("tool-result"),
    IMAGE("image"),
    FILE("file");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }
  }

  /** The same with another text. */
  Passage withText(String other) {
    return new Passage(role, time, kind, tool, other);
  }
}
