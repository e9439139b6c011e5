package io.memorygateway.memory.api;

import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.Timestamps;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;

/** Parser of times in requests. */
final class Iso8601 {
  private Iso8601() {}

  /**
   * Parses a date and time with its offset from UTC, to the millisecond.
   *
   * @param name of the parameter, for the error
   * @throws ApiException 400 if it is not valid
   */
  static Instant parse(String name, String text) {
    try {
      Instant instant = OffsetDateTime.parse(text).toInstant().truncatedTo(ChronoUnit.MILLIS);
      if (Timestamps.isInRange(instant)) {
        return instant;
      }
    } catch (DateTimeException e) {
      // handled below
    }
    throw ApiException.invalidRequest(
        name + " must be an ISO-8601 time such as 2026-11-20T09:30:00.000Z.");
  }
}
