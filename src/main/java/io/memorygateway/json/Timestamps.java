package io.memorygateway.json;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Format of times in the API: ISO-8601, UTC, always with milliseconds. */
public final class Timestamps {
  private static final DateTimeFormatter FORMAT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private Timestamps() {}

  /** Formats a time, such as {@code 2026-11-20T09:30:00.000Z}. */
  public static String format(Instant instant) {
    return FORMAT.format(instant);
  }

  /** Formats a time; null for null. */
  public static @Nullable String formatOrNull(@Nullable Instant instant) {
    return instant == null ? null : format(instant);
  }
}
