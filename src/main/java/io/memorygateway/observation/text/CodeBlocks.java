package io.memorygateway.observation.text;

import org.jspecify.annotations.Nullable;

/**
 * Takes fenced blocks of code out of Markdown. Lines of code are no sentences: in notes they would
 * displace what is said about them, and mean nothing without the lines around them.
 */
final class CodeBlocks {
  private CodeBlocks() {}

  /**
   * A passage without its code; the whole passage if it has nothing else. A fence that nothing
   * closes begins no code: a passage may be a part of a message that was cut within a block.
   */
  static Passage without(Passage passage) {
    String text = passage.text();
    if (passage.kind() != Passage.Kind.TEXT || !(text.contains("```") || text.contains("~~~"))) {
      return passage;
    }
    StringBuilder prose = new StringBuilder();
    StringBuilder block = new StringBuilder();
    boolean open = false;
    for (String line : text.lines().toList()) {
      String language = languageOf(line.strip());
      if (language == null) {
        (open ? block : prose).append(line).append('\n');
        continue;
      }
      if (open && language.isBlank()) {
        open = false;
      } else {
        // A fence that names a language never closes a block.
        prose.append(block);
        open = true;
      }
      block.setLength(0);
    }
    String rest = prose.append(block).toString();
    return rest.isBlank() ? passage : passage.withText(rest);
  }

  /** Text behind the marks of a fence; null if the line is no fence. */
  private static @Nullable String languageOf(String line) {
    char mark = line.startsWith("```") ? '`' : '~';
    int end = 0;
    while (end < line.length() && line.charAt(end) == mark) {
      end++;
    }
    return end < 3 || line.indexOf('`', end) >= 0 ? null : line.substring(end);
  }
}
