package io.memorygateway.observation.text;

import io.memorygateway.format.content.Media;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a conversation as an observer reads it.
 *
 * @param role of its author
 * @param time of its message
 * @param tool name of the tool that is called or answers, {@code attachment} for the text of a
 *     file; else empty
 * @param text the text, the arguments, the result, or the name of the image or file
 * @param media of the image or file; null for all else
 */
record Passage(
    String role, Instant time, Kind kind, String tool, String text, @Nullable Media media) {
  private static final int LAST_PASSAGES = 2;
  private static final int LAST_CHARACTERS = 1_000;

  Passage(String role, Instant time, Kind kind, String tool, String text) {
    this(role, time, kind, tool, text, null);
  }

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

  /**
   * The last passages that somebody said, with the ends of their texts: as much as tells what the
   * next words refer to.
   */
  static List<Passage> lastWords(List<Passage> passages) {
    List<Passage> said = passages.stream().filter(Passage::isSaid).toList();
    return said.subList(Math.max(0, said.size() - LAST_PASSAGES), said.size()).stream()
        .map(passage -> passage.withText(end(passage.text)))
        .toList();
  }

  private static String end(String text) {
    int from = TextCuts.before(text, Math.max(0, text.length() - LAST_CHARACTERS));
    return from == 0 ? text : "… " + text.substring(from);
  }

  /** Whether somebody said it, and no tool or file. */
  private boolean isSaid() {
    return kind == Kind.TEXT && tool.isEmpty();
  }

  boolean isSaidByUser() {
    return isSaid() && role.equals("user");
  }

  Passage withText(String other) {
    return new Passage(role, time, kind, tool, other, media);
  }
}
