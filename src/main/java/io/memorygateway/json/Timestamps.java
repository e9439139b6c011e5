package io.memorygateway.json;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Format of times in the API: ISO-8601, UTC, always with milliseconds. */
public final class Timestamps {
  private static final DateTimeFormatter FORMAT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  /** Before 1583, java.sql.Timestamp counts by another calendar than the database. */
  private static final Instant FIRST = Instant.parse("1583-01-01T00:00:00Z");

  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999Z");

  private Timestamps() {}

  /** Whether the database has this time, or may be asked for what is before or after it. */
  public static boolean isInRange(Instant instant) {
    return !instant.isBefore(FIRST) && !instant.isAfter(LAST);
  }

  /** Formats a time, such as {@code 2026-11-20T09:30:00.000Z}. */
  public static String format(Instant instant) {
    return FORMAT.format(instant);
  }

  public static @Nullable String formatOrNull(@Nullable Instant instant) {
    return instant == null ? null : format(instant);
  }
}
