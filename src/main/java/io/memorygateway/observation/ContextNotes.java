package io.memorygateway.observation;

import io.memorygateway.observation.text.ObservationLog;
import io.memorygateway.observation.text.TokenCounter;
import org.jspecify.annotations.Nullable;

/**
 * The observations of a thread that go upstream, within a bound, and what is known of its resource.
 * Of a log that is larger, because the reflector lags or fails, only the end is sent. The end
 * begins at a line that stays the same while the log grows, until it has grown by about a sixth of
 * the bound, so that prompt caches hold.
 *
 * @param known text of a system message on the resource; null for none
 * @param text of a system message on the thread; null for none
 * @param knownTokens of {@code known}
 * @param tokens of both texts
 * @param knownObservations how many lines {@code known} has
 * @param observations how many lines of the log, and of what is known, are in them
 */
public record ContextNotes(
    @Nullable String known,
    @Nullable String text,
    int knownTokens,
    int tokens,
    int knownObservations,
    int observations) {
  public static final ContextNotes NONE = new ContextNotes(null, 0, 0);

  private static final String LEFT_OUT = "(Older notes are not shown.)\n";

  /** Tokens that a joined text may count more than its parts. */
  private static final int JOINTS = 2;

  /** Tokens besides the log: the line on older notes, and the date of the first line. */
  private static final int HEAD_TOKENS = 24;

  /** The share of the bound that the shown end of a long log takes at least. */
  private static final double MIN_SHOWN_SHARE = 0.75;

  /** Characters of a log that are read for each token that may go upstream. */
  public static final int MAX_CHARACTERS_PER_TOKEN = 8;

  private ContextNotes(@Nullable String text, int tokens, int observations) {
    this(null, text, 0, tokens, 0, observations);
  }

  /** These notes without what is known of the resource. */
  public ContextNotes ofThread() {
    return new ContextNotes(text, tokens - knownTokens, observations - knownObservations);
  }

  /**
   * These notes with what is known of the resource before them, if it fits.
   *
   * @param record {@code resource_records.observations}
   * @param max tokens of the text on the resource
   */
  public ContextNotes knowing(String record, long max) {
    if (record.isBlank() || record.length() > max * MAX_CHARACTERS_PER_TOKEN) {
      return this;
    }
    String added = ObservationContext.ofResource(record);
    int count = new TokenCounter().count(added);
    int lines = items(record);
    return count > max
        ? this
        : new ContextNotes(added, text, count, tokens + count, lines, observations + lines);
  }

  /**
   * The end of a log, as far as it was read.
   *
   * @param start characters (code points) of the log before it
   * @param tokens of the whole log
   */
  public record LogEnd(String text, long start, long tokens) {}

  /**
   * The text for a prompt.
   *
   * @param log null if nothing was observed
   * @param max tokens of the text
   */
  public static ContextNotes of(
      @Nullable LogEnd log,
      @Nullable String currentTask,
      @Nullable String suggestedContinuation,
      long max) {
    if (log == null || log.text().isBlank()) {
      return NONE;
    }
    TokenCounter counter = new TokenCounter();
    String task = fitting(currentTask, max, counter);
    String suggestion = fitting(suggestedContinuation, max, counter);
    int frame =
        counter.count(String.valueOf(ObservationContext.of("*", task, suggestion))) + JOINTS;
    if (log.start() == 0 && frame + log.tokens() <= max) {
      String text = String.valueOf(ObservationContext.of(log.text(), task, suggestion));
      return new ContextNotes(text, (int) (frame + log.tokens()), items(log.text()));
    }
    boolean brief = frame > max / 3;
    int head = brief ? counter.count(ObservationContext.inBrief("*")) + JOINTS : frame;
    String end = end(log, max - head - HEAD_TOKENS, counter);
    if (end.isEmpty()) {
      return NONE;
    }
    String shown = LEFT_OUT + end;
    String text =
        brief
            ? ObservationContext.inBrief(shown)
            : String.valueOf(ObservationContext.of(shown, task, suggestion));
    int tokens = counter.count(text);
    return tokens > max ? NONE : new ContextNotes(text, tokens, items(end));
  }

  /**
   * The text if it takes at most a tenth of the bound: a longer one is no current task; else null.
   */
  private static @Nullable String fitting(@Nullable String text, long max, TokenCounter counter) {
    return text == null || text.length() > max || counter.count(text) > max / 10 ? null : text;
  }

  private static int items(String log) {
    return (int) log.lines().filter(ObservationLog::isItem).count();
  }

  /** Whole lines from the end of a log, with the day of the first one; empty if none fits. */
  private static String end(LogEnd log, long max, TokenCounter counter) {
    String text = log.text();
    int earliest = text.length();
    int latest = text.length();
    long tokens = 0;
    int lineEnd = text.length();
    while (lineEnd > 0) {
      int lineStart = text.lastIndexOf('\n', lineEnd - 1) + 1;
      tokens += counter.count(text.substring(lineStart, lineEnd)) + 1;
      if (tokens > max) {
        break;
      }
      earliest = lineStart;
      latest = tokens <= MIN_SHOWN_SHARE * max ? lineStart : latest;
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
   * The start of the line with the highest rank between two indexes: it remains the highest until
   * it leaves the range, or a higher one enters it.
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
