package io.memorygateway.observation;

import org.jspecify.annotations.Nullable;

/**
 * What goes upstream of a thread's observations, within a bound. A log that is larger, because the
 * reflector lags or fails, goes up by its end. The end begins at a place that stays the same while
 * the log grows, until it has grown by about a sixth of the bound, so that prompt caches hold.
 *
 * @param text of a system message; null for none
 * @param tokens of the text
 * @param observations how many lines of the log are in it
 */
public record ContextNotes(@Nullable String text, int tokens, int observations) {
  public static final ContextNotes NONE = new ContextNotes(null, 0, 0);

  private static final String LEFT_OUT = "(Older notes are not shown.)\n";

  /** What a text may count more than its parts do. */
  private static final int JOINTS = 2;

  /** Besides the log: what it says of older notes, and the day that its first line belongs to. */
  private static final int HEAD_TOKENS = 24;

  /** The parts of the room for the log within which its beginning is chosen. */
  private static final double LEAST_SHOWN = 0.75;

  /** Characters of a log that are read for each token that may go up. */
  public static final int MOST_CHARACTERS_PER_TOKEN = 8;

  /**
   * The end of a log, as much as was read of it.
   *
   * @param start characters (code points) of the log before it
   * @param tokens of the whole log
   */
  public record LogEnd(String text, long start, long tokens) {}

  /**
   * The text for a prompt.
   *
   * @param log null if nothing was observed
   * @param most tokens of the text
   */
  public static ContextNotes of(
      @Nullable LogEnd log,
      @Nullable String currentTask,
      @Nullable String suggestedContinuation,
      long most) {
    if (log == null || log.text().isBlank()) {
      return NONE;
    }
    TokenCounter counter = new TokenCounter();
    String task = fitting(currentTask, most, counter);
    String suggestion = fitting(suggestedContinuation, most, counter);
    int frame =
        counter.count(String.valueOf(ObservationContext.of("*", task, suggestion))) + JOINTS;
    if (log.start() == 0 && frame + log.tokens() <= most) {
      String whole = String.valueOf(ObservationContext.of(log.text(), task, suggestion));
      return new ContextNotes(whole, (int) (frame + log.tokens()), items(log.text()));
    }
    boolean brief = frame > most / 3;
    int head = brief ? counter.count(ObservationContext.inBrief("*")) + JOINTS : frame;
    String end = end(log, most - head - HEAD_TOKENS, counter);
    if (end.isEmpty()) {
      return NONE;
    }
    String shown = LEFT_OUT + end;
    String text =
        brief
            ? ObservationContext.inBrief(shown)
            : String.valueOf(ObservationContext.of(shown, task, suggestion));
    int tokens = counter.count(text);
    return tokens > most ? NONE : new ContextNotes(text, tokens, items(end));
  }

  /** Whatever takes more than a tenth of the room is no current task but a text. */
  private static @Nullable String fitting(@Nullable String text, long most, TokenCounter counter) {
    return text == null || text.length() > most || counter.count(text) > most / 10 ? null : text;
  }

  private static int items(String log) {
    return (int) log.lines().filter(ObservationLog::isItem).count();
  }

  /** Whole lines from the end of a log, with the day of the first one; empty if none fits. */
  private static String end(LogEnd log, long most, TokenCounter counter) {
    String text = log.text();
    int earliest = text.length();
    int latest = text.length();
    long tokens = 0;
    int lineEnd = text.length();
    while (lineEnd > 0) {
      int lineStart = text.lastIndexOf('\n', lineEnd - 1) + 1;
      tokens += counter.count(text.substring(lineStart, lineEnd)) + 1;
      if (tokens > most) {
        break;
      }
      earliest = lineStart;
      latest = tokens <= LEAST_SHOWN * most ? lineStart : latest;
      lineEnd = lineStart - 1;
    }
    if (earliest == text.length()) {
      return "";
    }
    return ObservationLog.rest(text, chosen(log, earliest, Math.max(earliest, latest)));
  }

  private static boolean beginsNote(String text, int at) {
    int end = text.indexOf('\n', at);
    String line = text.substring(at, end < 0 ? text.length() : end);
    return ObservationLog.isItem(line) || ObservationLog.isDate(line);
  }

  /**
   * The beginning of a line between two places. Each line has a rank of its own, and the highest is
   * chosen: that one stays the highest until it leaves the range, or a higher one enters it.
   */
  private static int chosen(LogEnd log, int earliest, int latest) {
    String text = log.text();
    int best = earliest;
    long highest = Long.MIN_VALUE;
    long offset = log.start() + text.codePointCount(0, earliest);
    int at = earliest;
    while (at <= latest && at < text.length()) {
      long rank = StableCut.rank(offset);
      if (rank > highest && beginsNote(text, at)) {
        highest = rank;
        best = at;
      }
      int next = text.indexOf('\n', at) + 1;
      if (next == 0) {
        break;
      }
      offset += text.codePointCount(at, next);
      at = next;
    }
    return best;
  }
}
