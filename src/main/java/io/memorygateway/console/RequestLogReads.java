package io.memorygateway.console;

import io.memorygateway.figures.Figure;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Reads of the request log. Each is a range of an index with a limit on the rows. */
final class RequestLogReads {
  private static final String COLUMNS =
      """
      SELECT l.started_at, l.id, l.request_id, p.name AS project, k.public_id AS key_public_id, k.name AS key_name,
             l.endpoint, l.provider, l.model, l.status, l.stream, l.error_type, l.attempt, l.outcome, l.project_id, l.key_id,
             l.attempt_status, l.attempt_ms, l.counted, l.target_endpoint, l.alias, l.thread_hash IS NOT NULL AS has_thread, %s
      FROM request_log l LEFT JOIN projects p ON p.id = l.project_id LEFT JOIN api_keys k ON k.id = l.key_id
      """
          .formatted(Figure.columns("l."));

  /** Most attempts of a call that are read; a route has ten. */
  private static final int MAX_ATTEMPTS = 50;

  private RequestLogReads() {}

  /** Calls, newest first; those after a position, if one is given. */
  static List<LoggedRequest> list(
      Handle handle,
      TimeRange range,
      LoggedRequest.@Nullable Position position,
      RequestFilters.Conditions conditions,
      int limit) {
    List<Integer> statuses = conditions.statuses();
    if (statuses != null && statuses.isEmpty()) {
      return List.of();
    }
    String found =
        "SELECT l.project_id, l.started_at, l.id FROM request_log l"
            + " WHERE l.started_at >= :from AND l.started_at < :to AND l.outcome = 'answered'"
            + (position == null
                ? ""
                : " AND l.started_at <= :startedAt AND (l.started_at < :startedAt OR l.id < :id)")
            + conditions.all().values().stream()
                .map(condition -> " AND " + condition.getKey())
                .collect(Collectors.joining())
            + "%s ORDER BY l.started_at DESC, l.id DESC LIMIT :limit";
    // Each status is a range of the index in the order of time; several at once are not.
    String all =
        statuses == null
            ? found.formatted("")
            : statuses.stream()
                .map(status -> "(" + found.formatted(" AND l.status = " + status) + ")")
                .collect(Collectors.joining(" UNION ALL "));
    Query query =
        handle
            .createQuery(
                COLUMNS
                    + "JOIN ("
                    + all
                    // With the project, each row is asked of its home alone.
                    + ") f ON f.project_id = l.project_id AND f.started_at = l.started_at"
                    + " AND f.id = l.id"
                    + " ORDER BY l.started_at DESC, l.id DESC LIMIT :limit")
            .bind("from", range.from())
            .bind("to", range.to())
            .bind("limit", limit);
    if (position != null) {
      query.bind("startedAt", position.startedAt()).bind("id", position.id());
    }
    conditions.all().forEach((name, condition) -> query.bind(name, condition.getValue()));
    return query.map((row, context) -> LoggedRequest.of(row)).list();
  }

  /** Row of the log, with figures that the view does not show. */
  record Found(
      LoggedRequest request,
      LoggedAttempt attempt,
      long projectId,
      long keyId,
      long callMillis,
      boolean hasThread) {}

  static Optional<Found> find(Handle handle, LoggedRequest.Position position) {
    return handle
        .createQuery(COLUMNS + "WHERE l.started_at = :startedAt AND l.id = :id")
        .bind("startedAt", position.startedAt())
        .bind("id", position.id())
        .map(
            (row, context) ->
                new Found(
                    LoggedRequest.of(row),
                    LoggedAttempt.of(row),
                    row.getLong("project_id"),
                    row.getLong("key_id"),
                    row.getLong("duration_ms"),
                    row.getBoolean("has_thread")))
        .findOne();
  }

  /**
   * Returns the attempts that failed before the last one of a call. They are identified by the
   * request id, which clients may reuse, so they must be of the call's time as well.
   */
  static List<LoggedAttempt> earlierAttempts(Handle handle, Found last) {
    Instant to = Instant.parse(last.attempt().startedAt());
    return handle
        .createQuery(
            COLUMNS
                + """
            WHERE l.request_id = :requestId AND l.key_id = :keyId AND l.project_id = :projectId
              AND l.outcome = 'failed_over' AND l.attempt < :attempt AND l.started_at BETWEEN :from AND :to
            ORDER BY l.started_at, l.attempt LIMIT :limit
            """)
        .bind("requestId", last.request().requestId())
        .bind("keyId", last.keyId())
        .bind("projectId", last.projectId())
        .bind("attempt", last.attempt().attempt())
        .bind("from", to.minusMillis(last.callMillis()).minus(1, ChronoUnit.SECONDS))
        .bind("to", to)
        .bind("limit", MAX_ATTEMPTS)
        .map((row, context) -> LoggedAttempt.of(row))
        .list();
  }
}
