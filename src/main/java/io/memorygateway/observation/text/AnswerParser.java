package io.memorygateway.observation.text;

import io.memorygateway.observation.text.BadAnswerException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Parses the answers of observer and reflector models, strictly in the form that the prompts
 * prescribe.
 */
record AnswerParser(String text) {
  private static final int MAX_TASK_CHARACTERS = 4_000;
  private static final int MAX_TITLE_CHARACTERS = 200;

  /**
   * Parses an answer as observations.
   *
   * @param truncated whether the model was stopped before the end of its answer
   * @throws BadAnswerException if the answer must not be stored
   */
  static Observation parse(String answer, boolean truncated) throws BadAnswerException {
    AnswerParser parser = new AnswerParser(withoutFence(answer.replace("\r\n", "\n").strip()));
    if (parser.text.isEmpty()) {
      throw new BadAnswerException(truncated ? Reason.TRUNCATED : Reason.EMPTY);
    }
    if (RepetitionGuard.isRepeating(parser.text)) {
      throw new BadAnswerException(Reason.REPEATING);
    }
    if (truncated) {
      throw new BadAnswerException(Reason.TRUNCATED);
    }
    String log = parser.section("observations");
    if (log == null) {
      throw new BadAnswerException(Reason.UNPARSEABLE);
    }
    checkLog(log);
    return new Observation(
        log,
        bounded(parser.section("current-task"), MAX_TASK_CHARACTERS),
        bounded(parser.section("suggested-response"), MAX_TASK_CHARACTERS),
        title(parser.section("thread-title")));
  }

  /** The text between the two tags of a section, each on its own line; null if they are missing. */
  private @Nullable String section(String name) throws BadAnswerException {
    String open = "<" + name + ">";
    String close = "</" + name + ">";
    StringBuilder content = null;
    boolean closed = false;
    for (String line : text.lines().toList()) {
      String stripped = line.strip();
      if (stripped.equals(open)) {
        if (content != null) {
          throw new BadAnswerException(Reason.UNPARSEABLE);
        }
        content = new StringBuilder();
      } else if (stripped.equals(close)) {
        if (content == null || closed) {
          throw new BadAnswerException(Reason.UNPARSEABLE);
        }
        closed = true;
      } else if (content == null && stripped.startsWith(open) && stripped.endsWith(close)) {
        content =
            new StringBuilder(
                stripped.substring(open.length(), stripped.length() - close.length()));
        closed = true;
      } else if (content != null && !closed) {
        content.append(line.stripTrailing()).append('\n');
      }
    }
    if (content != null && !closed) {
      throw new BadAnswerException(Reason.TRUNCATED);
    }
    return content == null ? null : content.toString().strip();
  }

  private static void checkLog(String log) throws BadAnswerException {
    boolean items = false;
    for (String line : log.lines().toList()) {
      boolean item = ObservationLog.isItem(line);
      boolean below = items && (line.isBlank() || line.startsWith("  ") || line.startsWith("->"));
      if (!item && !below && !line.isBlank() && !ObservationLog.isDate(line)) {
        throw new BadAnswerException(Reason.UNPARSEABLE);
      }
      items |= item;
    }
    if (!items) {
      throw new BadAnswerException(Reason.EMPTY);
    }
  }

  private static @Nullable String bounded(@Nullable String section, int max) {
    if (section == null || section.isBlank()) {
      return null;
    }
    return section.length() <= max ? section : section.substring(0, TextCuts.before(section, max));
  }

  private static @Nullable String title(@Nullable String section) {
    String line = section == null ? null : section.lines().findFirst().orElse("").strip();
    return bounded(line, MAX_TITLE_CHARACTERS);
  }

  /** The text without a code fence around it, which some models add. */
  private static String withoutFence(String answer) {
    if (!answer.startsWith("```") || !answer.endsWith("```") || !answer.contains("\n")) {
      return answer;
    }
    String body = answer.substring(answer.indexOf('\n') + 1, answer.length() - 3);
    return body.strip();
  }
}
