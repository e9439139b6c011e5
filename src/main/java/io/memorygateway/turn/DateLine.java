package io.memorygateway.turn;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * Writes the date of a message as a line: {@code [Sunday, 7 May 2023, 13:56 UTC]}. Zones are
 * written as offsets, because their names differ from one Java to another.
 */
final class DateLine {
  private final DateTimeFormatter format;

  DateLine(ZoneId zone) {
    boolean utc = zone.normalized().equals(ZoneOffset.UTC);
    String pattern = "'['EEEE, d MMMM uuuu, HH:mm " + (utc ? "'UTC]'" : "O']'");
    this.format = DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH).withZone(zone);
  }

  String of(Instant time) {
    return format.format(time);
  }
}
