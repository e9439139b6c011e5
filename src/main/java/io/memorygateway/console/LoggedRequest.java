package io.memorygateway.console;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.memorygateway.json.Characters;
import io.memorygateway.json.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Call in the request log as operators see it, with the figures of its last attempt and without
 * contents.
 *
 * @param id time in milliseconds, a hyphen and the number of the row
 * @param status that the client received; 499 if it left
 * @param targetEndpoint that it was translated for; null if it was not
 * @param alias by which it asked for its model; null if it named a target or a route
 * @param counted who counted the tokens: {@code reported} or {@code estimated}
 * @param attempts number of attempts
 */
public record LoggedRequest(
    String id,
    String startedAt,
    String requestId,
    @Nullable String project,
    @Nullable String keyId,
    @Nullable String keyName,
    String endpoint,
    String provider,
    String model,
    int status,
    boolean stream,
    @JsonUnwrapped LoggedFigures figures,
    @Nullable String targetEndpoint,
    @Nullable String alias,
    @Nullable String counted,
    @Nullable String errorType,
    int attempts) {

  static LoggedRequest of(ResultSet row) throws SQLException {
    Instant startedAt = row.getTimestamp("started_at").toInstant();
    return new LoggedRequest(
        startedAt.toEpochMilli() + "-" + row.getLong("id"),
        Timestamps.format(startedAt),
        row.getString("request_id"),
        row.getString("project"),
        row.getString("key_public_id"),
        row.getString("key_name"),
        row.getString("endpoint"),
        row.getString("provider"),
        row.getString("model"),
        row.getInt("status"),
        row.getBoolean("stream"),
        LoggedFigures.of(row, "duration_ms"),
        row.getString("target_endpoint"),
        row.getString("alias"),
        row.getString("counted"),
        row.getString("error_type"),
        row.getInt("attempt"));
  }

  record Position(Instant startedAt, long id) {
    /** Parses an id; null if it is invalid. */
    static @Nullable Position parse(String text) {
      int hyphen = text.indexOf('-');
      int digits = hyphen + (text.startsWith("-", hyphen + 1) ? 2 : 1);
      if (hyphen < 0
          || !Characters.areDigits(text.substring(0, hyphen), 15)
          || !Characters.areDigits(text.substring(digits), 19)) {
        return null;
      }
      try {
        Instant startedAt = Instant.ofEpochMilli(Long.parseLong(text.substring(0, hyphen)));
        long id = Long.parseLong(text.substring(hyphen + 1));
        return Timestamps.isInRange(startedAt) ? new Position(startedAt, id) : null;
      } catch (NumberFormatException e) {
        return null;
      }
    }
  }
}
