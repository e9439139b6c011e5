package io.memorygateway.observation.text;

import java.time.Instant;

/**
 * A piece of a conversation as an observer reads it.
 *
 * @param role of its author
 * @param time of its message
 * @param tool name of the tool that is called or answers, {@code attachment} for the text of a
 *     file; else empty
 * @param text the text, the arguments, the result, or the name of the image or file
 */
record Passage(String role, Instant time, Kind kind, String tool, String text) {

  /** The kinds of passages, and how a frame names them. */
  enum Kind {
    TEXT("text"),
    TOOL_CALL("tool-call"),
    TOOL_RESULT("tool-result"),
    IMAGE("image"),
    FILE("file");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    String label() {
      return label;
    }
  }

  /** The same passage with another text. */
  Passage withText(String other) {
    return new Passage(role, time, kind, tool, other);
  }
}
