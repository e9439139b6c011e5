package io.memorygateway.console;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.memorygateway.json.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Attempt of a call, from the request log.
 *
 * @param attempt its number, from 1
 * @param targetEndpoint that it was translated for; null if it was not
 * @param counted who counted the tokens: {@code reported} or {@code estimated}
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
    @JsonUnwrapped LoggedFigures figures,
    @Nullable String targetEndpoint,
    @Nullable String counted,
    @Nullable String errorType) {

  static LoggedAttempt of(ResultSet row) throws SQLException {
    return new LoggedAttempt(
        row.getInt("attempt"),
        Timestamps.format(row.getTimestamp("started_at").toInstant()),
        row.getString("provider"),
        row.getString("model"),
        row.getInt("attempt_status"),
        row.getString("outcome"),
        LoggedFigures.of(row, "attempt_ms"),
        row.getString("target_endpoint"),
        row.getString("counted"),
        row.getString("error_type"));
  }
}
