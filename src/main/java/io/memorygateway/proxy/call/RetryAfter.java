package io.memorygateway.proxy.call;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/**
 * Wait that an upstream asks for before the next request: {@code retry-after-ms} or {@code
 * Retry-After}.
 */
final class RetryAfter {
  private static final String MILLIS = "retry-after-ms";
  private static final String SECONDS = "retry-after";
  private static final double MAX_SECONDS = Duration.ofDays(365).toSeconds();

  private RetryAfter() {}

  /** The duration from now; null if the headers are absent or in an unknown format. */
  static @Nullable Duration of(HttpFields headers, Instant now) {
    Duration millis = seconds(headers.get(MILLIS), 1000);
    if (millis != null) {
      return millis;
    }
    String value = headers.get(SECONDS);
    Duration seconds = seconds(value, 1);
    return seconds == null && value != null ? untilDate(value.strip(), now) : seconds;
  }

  private static @Nullable Duration seconds(@Nullable String value, int parts) {
    if (value == null) {
      return null;
    }
    try {
      double seconds = Double.parseDouble(value.strip()) / parts;
      return seconds >= 0 && seconds <= MAX_SECONDS
          ? Duration.ofMillis((long) Math.ceil(seconds * 1000))
          : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static @Nullable Duration untilDate(String value, Instant now) {
    try {
      Instant date =
          ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME.withLocale(Locale.ROOT))
              .toInstant();
      Duration left = Duration.between(now, date);
      return left.isNegative() ? Duration.ZERO : left;
    } catch (DateTimeException e) {
      return null;
    }
  }
}
