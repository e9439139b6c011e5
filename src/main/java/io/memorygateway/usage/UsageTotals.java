package io.memorygateway.usage;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/**
 * Query of the totals that are stored beside the request log: fast however large the log is, and
 * older than its rows.
 *
 * @param from inclusive
 * @param to exclusive
 * @param by at least one
 * @param filters value of each condition
 */
public record UsageTotals(
    Table table, Instant from, Instant to, List<Dimension> by, Map<Filter, String> filters) {
  /** Names of the sums, in the order of the columns of the tables. */
  public static final List<String> NUMBERS =
      List.of(
          "calls",
          "errors",
          "failedAttempts",
          "callsWithoutTokens",
          "inputTokens",
          "outputTokens",
          "cachedInputTokens",
          "durationMs");

  /** Table of totals; {@code from} and {@code to} are starts of its rows. */
  public enum Table {
    /** A row per hour, stored for some weeks. */
    USAGE_HOURS,
    /** A row per day, stored for years. */
    USAGE_DAYS
  }

  /** Condition on the rows. */
  public enum Filter {
    PROJECT("project_id = (SELECT id FROM projects WHERE name = :PROJECT)"),
    KEY("key_id = (SELECT id FROM api_keys WHERE public_id = :KEY)"),
    PROVIDER("provider = :PROVIDER"),
    MODEL("model = :MODEL");

    private final String condition;

    Filter(String condition) {
      this.condition = condition;
    }
  }

  public UsageTotals {
    by = List.copyOf(by);
    filters = Map.copyOf(filters);
  }

  /** Columns of the report, in order. */
  public List<String> columns() {
    List<String> columns = new ArrayList<>();
    by.forEach(dimension -> dimension.columns().keySet().forEach(c -> columns.add(camel(c))));
    columns.addAll(NUMBERS);
    return columns;
  }

  /**
   * Rows in the order of the dimensions: text for the dimensions, longs for the sums.
   *
   * @param limit most rows
   */
  public List<Map<String, Object>> rows(Handle handle, int limit) {
    String groups =
        by.stream()
            .map(d -> d.expression() + " AS " + d.alias() + ", ")
            .collect(Collectors.joining());
    String shown =
        by.stream()
            .flatMap(d -> d.columns().entrySet().stream())
            .map(column -> column.getValue() + " AS `" + camel(column.getKey()) + "`, ")
            .collect(Collectors.joining());
    List<String> sums = new ArrayList<>();
    for (int i = 0; i < NUMBERS.size(); i++) {
      sums.add("SUM(" + RollUp.NUMBERS.get(i) + ") AS " + NUMBERS.get(i));
    }
    String sql =
        "SELECT "
            + shown
            + NUMBERS.stream().map(n -> "t." + n).collect(Collectors.joining(", "))
            + " FROM (SELECT "
            + groups
            + String.join(", ", sums)
            + " FROM "
            + table.name().toLowerCase(Locale.ROOT)
            + " WHERE started_at >= :from AND started_at < :to"
            + filters.keySet().stream()
                .map(filter -> " AND " + filter.condition)
                .collect(Collectors.joining())
            + " GROUP BY "
            + by.stream().map(Dimension::alias).collect(Collectors.joining(", "))
            + ") t"
            + (by.contains(Dimension.PROJECT) ? " LEFT JOIN projects p ON p.id = t.project_id" : "")
            + (by.contains(Dimension.KEY) ? " LEFT JOIN api_keys k ON k.id = t.key_id" : "")
            + " ORDER BY "
            + by.stream()
                .flatMap(d -> d.columns().values().stream())
                .collect(Collectors.joining(", "))
            + " LIMIT :limit";
    Query query = handle.createQuery(sql).bind("from", from).bind("to", to).bind("limit", limit);
    filters.forEach((filter, value) -> query.bind(filter.name(), value));
    List<String> columns = columns();
    return query
        .map(
            (row, context) -> {
              Map<String, Object> values = new LinkedHashMap<>();
              for (String column : columns) {
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

  private static String camel(String column) {
    return column.equals("key_name") ? "keyName" : column;
  }
}
