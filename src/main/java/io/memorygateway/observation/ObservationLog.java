package io.memorygateway.observation;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/**
 * The text of observations: {@code Date: November 20, 2026}, and below it lines such as {@code * 🔴
 * (09:30) …} with {@code -> …} for what belongs to them. Times are UTC. It is only appended to.
 */
final class ObservationLog {
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

  static boolean isDate(String line) {
    return line.startsWith(DATE);
  }

  /** Whether it begins an observation. */
  static boolean isItem(String line) {
    return line.startsWith("* ") || line.startsWith("- ");
  }

  /**
   * What is to be put behind a log so that an addition stands there; a day that goes on is not
   * named again. The log itself stays as it is, to the last character.
   */
  static String toAppend(String log, String addition) {
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
  static String end(String log, int mostCharacters) {
    if (log.length() <= mostCharacters) {
      return log;
    }
    int line = log.indexOf('\n', log.length() - mostCharacters);
    return line < 0 ? "" : log.substring(line + 1);
  }

  /** A log from a place on that ends a line, with the day that goes on there. */
  static String rest(String log, int from) {
    String rest = log.substring(from).strip();
    String day = lastDate(log.substring(0, from));
    return rest.isEmpty() || isDate(rest) || day.isEmpty() ? rest : day + "\n" + rest;
  }

  private static String lastDate(String log) {
    String last = "";
    List<String> lines = log.lines().toList();
    for (String line : lines) {
      last = isDate(line) ? line : last;
    }
    return last;
  }
}
