package io.memorygateway.console;

import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.Timestamps;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Time range of a page; always bounded, so that no statement reads a whole table.
 *
 * @param from inclusive
 * @param to exclusive
 */
record TimeRange(Instant from, Instant to) {
  static final Duration DEFAULT = Duration.ofHours(1);
  private static final Duration MAX = Duration.ofDays(366);

  /**
   * Parses the requested range.
   *
   * @param from an hour before its end if it is null
   * @param to now if it is null
   */
  static TimeRange of(@Nullable String from, @Nullable String to, Instant now) {
    Instant end = to == null ? now : time("to", to);
    Instant begin = from == null ? end.minus(DEFAULT) : time("from", from);
    if (!begin.isBefore(end) || Duration.between(begin, end).compareTo(MAX) > 0) {
      throw ApiException.invalidRequest("from must be before to, by no more than 366 days.");
    }
    return new TimeRange(begin, end);
  }

  /**
   * Parses a time.
   *
   * @param name of the parameter
   */
  static Instant time(String name, String text) {
    try {
      Instant time = Instant.parse(text);
      if (Timestamps.isInRange(time)) {
        return time;
      }
    } catch (DateTimeException e) {
      // handled below
    }
    throw ApiException.invalidRequest(name + " must be a time such as 2026-01-31T12:00:00Z.");
  }
}
