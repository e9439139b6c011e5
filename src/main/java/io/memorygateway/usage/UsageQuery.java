package io.memorygateway.usage;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Query of totals over the request log.
 *
 * @param from inclusive
 * @param to exclusive
 * @param by at least one
 * @param threadHash with a project only
 */
record UsageQuery(
    Instant from,
    Instant to,
    List<Dimension> by,
    @Nullable String project,
    @Nullable String threadHash) {

  private static final String SUMS =
      """
      COALESCE(SUM(outcome = 'answered'), 0) AS calls,
      COALESCE(SUM(outcome = 'answered' AND status >= 400), 0) AS errors,
      COALESCE(SUM(outcome <> 'answered'), 0) AS failed_attempts,
      COALESCE(SUM(outcome = 'answered' AND status < 400 AND input_tokens IS NULL AND output_tokens IS NULL), 0) AS calls_without_tokens,
      COALESCE(SUM(input_tokens), 0) AS input_tokens,
      COALESCE(SUM(output_tokens), 0) AS output_tokens,
      COALESCE(SUM(cached_tokens), 0) AS cached_input_tokens
      """;

  static final List<String> NUMBERS =
      List.of(
          "calls",
          "errors",
          "failed_attempts",
          "calls_without_tokens",
          "input_tokens",
          "output_tokens",
          "cached_input_tokens");

  /** Columns of the report, in order. */
  List<String> columns() {
    List<String> columns = new ArrayList<>();
    by.forEach(dimension -> columns.addAll(dimension.columns().keySet()));
    columns.addAll(NUMBERS);
    return columns;
  }

  /** Rows of the report: text for the dimensions, longs for the sums. */
  List<Map<String, Object>> rows(Handle handle) {
    String groups =
        by.stream()
            .map(d -> d.expression() + " AS " + d.alias() + ", ")
            .collect(Collectors.joining());
    String groupBy =
        "GROUP BY " + by.stream().map(Dimension::alias).collect(Collectors.joining(", "));
    String shown =
        by.stream()
            .flatMap(d -> d.columns().entrySet().stream())
            .map(column -> column.getValue() + " AS `" + column.getKey() + "`, ")
            .collect(Collectors.joining());
    String sql =
        "SELECT "
            + shown
            + NUMBERS.stream().map(n -> "t." + n).collect(Collectors.joining(", "))
            + " FROM (SELECT "
            + groups
            + SUMS
            + " FROM request_log WHERE started_at >= :from AND started_at < :to"
            + (project == null
                ? ""
                : " AND project_id = (SELECT id FROM projects WHERE name = :project)")
            + (threadHash == null ? "" : " AND thread_hash = UNHEX(:threadHash) ")
            + " "
            + groupBy
            + ") t"
            + (by.contains(Dimension.PROJECT) ? " LEFT JOIN projects p ON p.id = t.project_id" : "")
            + (by.contains(Dimension.KEY) ? " LEFT JOIN api_keys k ON k.id = t.key_id" : "")
            + " ORDER BY "
            + by.stream()
                .flatMap(d -> d.columns().values().stream())
                .collect(Collectors.joining(", "));
    Query query = handle.createQuery(sql).bind("from", from).bind("to", to);
    if (project != null) {
      query.bind("project", project);
    }
    if (threadHash != null) {
      query.bind("threadHash", threadHash);
    }
    return query
        .map(
            (row, context) -> {
              Map<String, Object> values = new LinkedHashMap<>();
              for (String column : columns()) {
                if (NUMBERS.contains(column)) {
                  values.put(column, row.getLong(column));
                } else {
                  String text = row.getString(column);
                  values.put(column, text == null ? "" : text);
                }
              }
              return values;
            })
        .list();
  }
}
