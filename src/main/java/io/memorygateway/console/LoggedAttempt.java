package io.memorygateway.console;

import io.memorygateway.json.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Attempt of a call, from the request log.
 *
 * @param attempt its number, from 1
 * @param outcome {@code answered} or {@code failed_over}
 * @param status of the attempt; the client may have received that of another
 */
public record LoggedAttempt(
    int attempt,
    String startedAt,
    String provider,
    String model,
    int status,
    String outcome,
    @Nullable Long inputTokens,
    @Nullable Long outputTokens,
    @Nullable Long cachedInputTokens,
    long durationMs,
    @Nullable Long upstreamMs,
    @Nullable Long firstByteMs,
    @Nullable String errorType) {

  static LoggedAttempt of(ResultSet row) throws SQLException {
    return new LoggedAttempt(
        row.getInt("attempt"),
        Timestamps.format(row.getTimestamp("started_at").toInstant()),
        row.getString("provider"),
        row.getString("model"),
        row.getInt("attempt_status"),
        row.getString("outcome"),
        row.getObject("input_tokens", Long.class),
        row.getObject("output_tokens", Long.class),
        row.getObject("cached_tokens", Long.class),
        row.getLong("attempt_ms"),
        row.getObject("upstream_ms", Long.class),
        row.getObject("first_byte_ms", Long.class),
        row.getString("error_type"));
  }
}
