package io.memorygateway.turn;

import static java.time.temporal.ChronoUnit.DAYS;
import static java.time.temporal.ChronoUnit.MONTHS;
import static java.time.temporal.ChronoUnit.YEARS;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Writes dates as lines: {@code [Sunday, 7 May 2023, 13:56 UTC]}. Zones are written as offsets,
 * because their names differ from one Java to another.
 */
final class DateLine {
  private static final String DAY = "EEEE, d MMMM uuuu";

  /** Days from which on an age is told in weeks, and in months: two of each. */
  private static final long WEEKS_FROM = 14;

  private static final long MONTHS_FROM = 63;
  private static final long DAYS_A_WEEK = 7;

  /** Months from which on an age is told in years. */
  private static final long YEARS_FROM = 24;

  private final ZoneId zone;
  private final DateTimeFormatter time;
  private final DateTimeFormatter day;

  DateLine(ZoneId zone) {
    boolean utc = zone.normalized().equals(ZoneOffset.UTC);
    this.zone = zone;
    this.day = DateTimeFormatter.ofPattern(DAY, Locale.ENGLISH).withZone(zone);
    this.time =
        DateTimeFormatter.ofPattern(DAY + ", HH:mm " + (utc ? "'UTC'" : "O"), Locale.ENGLISH)
            .withZone(zone);
  }

  String of(Instant written) {
    return "[" + time.format(written) + "]";
  }

  /** The same with its age: {@code [Sunday, 7 May 2023, 13:56 UTC, 3 weeks ago]}. */
  String of(Instant written, Instant now) {
    return "[" + time.format(written) + ", " + age(dayOf(written), dayOf(now)) + "]";
  }

  /**
   * A line that tells what day it is.
   *
   * @param oldest when the oldest message before it was written; null if there is none
   */
  String today(Instant now, @Nullable Instant oldest) {
    String first =
        oldest == null || isSameDay(oldest, now)
            ? ""
            : " The oldest message above is of " + day.format(oldest) + ".";
    return "[Today is " + time.format(now) + "." + first + "]";
  }

  boolean isSameDay(Instant one, Instant other) {
    return dayOf(one).equals(dayOf(other));
  }

  private LocalDate dayOf(Instant instant) {
    return LocalDate.ofInstant(instant, zone);
  }

  private static String age(LocalDate day, LocalDate today) {
    long days = DAYS.between(day, today);
    long months = MONTHS.between(day, today);
    if (days < 0) {
      return "in the future";
    } else if (days < 2) {
      return days < 1 ? "today" : "yesterday";
    } else if (days < WEEKS_FROM) {
      return days + " days ago";
    } else if (days < MONTHS_FROM) {
      return days / DAYS_A_WEEK + " weeks ago";
    }
    return months < YEARS_FROM ? months + " months ago" : YEARS.between(day, today) + " years ago";
  }
}
