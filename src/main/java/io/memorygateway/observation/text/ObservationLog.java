package io.memorygateway.observation.text;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * The text of observations: {@code Date: November 20, 2026}, and below it lines such as {@code * 🔴
 * (09:30) …} with {@code -> …} for what belongs to them. Times are UTC. It is only appended to.
 */
public final class ObservationLog {
  private static final String DATE = "Date: ";
  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("MMMM d, uuuu", Locale.ENGLISH).withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm").withZone(ZoneOffset.UTC);

  private ObservationLog() {}

  static String dateLine(Instant time) {
    return DATE + DAY.format(time);
  }

  static String time(Instant time) {
    return TIME.format(time);
  }

  /** Whether the line is the date of the observations below it. */
  public static boolean isDate(String line) {
    return line.startsWith(DATE);
  }

  public static boolean isItem(String line) {
    return line.startsWith("* ") || line.startsWith("- ");
  }

  /**
   * The text to append to a log for an addition, without the date of a day that goes on. The log
   * itself is not changed.
   */
  public static String toAppend(String log, String addition) {
    String added = addition.strip();
    if (added.isEmpty() || log.isEmpty()) {
      return added;
    }
    String first = added.lines().findFirst().orElse("");
    if (isDate(first) && first.equals(lastDate(log))) {
      String rest = added.substring(first.length()).stripLeading();
      return rest.isEmpty() ? "" : "\n" + rest;
    }
    return "\n" + added;
  }

  /** The end of a log, whole lines of at most so many characters. */
  static String end(String log, int maxCharacters) {
    if (log.length() <= maxCharacters) {
      return log;
    }
    int line = log.indexOf('\n', log.length() - maxCharacters - 1);
    return line < 0 ? "" : log.substring(line + 1);
  }

  /** The log from the end of a line on, with the date of the day that goes on there. */
  public static String rest(String log, int from) {
    String rest = log.substring(from).strip();
    String day = lastDate(log.substring(0, from));
    return rest.isEmpty() || isDate(rest) || day.isEmpty() ? rest : day + "\n" + rest;
  }

  private static String lastDate(String log) {
    int before = log.lastIndexOf("\n" + DATE);
    int end = log.indexOf('\n', before + 1);
    String line = log.substring(before + 1, end < 0 ? log.length() : end);
    return isDate(line) ? line : "";
  }
}
