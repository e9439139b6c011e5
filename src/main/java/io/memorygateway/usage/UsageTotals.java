package io.memorygateway.usage;

import com.google.common.base.CaseFormat;
import com.google.common.collect.ImmutableMap;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Query of totals of calls.
 *
 * @param from inclusive
 * @param to exclusive
 * @param by at least one
 * @param filters value of each condition
 */
public record UsageTotals(
    Source source, Instant from, Instant to, List<Dimension> by, Map<Filter, String> filters) {
  /** Table that is added up. */
  public enum Source {
    /** A row per attempt, for any range of time. */
    REQUEST_LOG(true),
    /** A row per hour, for some weeks: fast however large the log is. */
    USAGE_HOURS(false),
    /** A row per day, for years. */
    USAGE_DAYS(false);

    private final boolean log;

    /** The sums by their names in a report. */
    @SuppressWarnings("ImmutableEnumChecker") // sums are constants
    private final ImmutableMap<String, Sum> sums;

    Source(boolean log) {
      this.log = log;
      this.sums =
          Sum.ALL.stream()
              .filter(sum -> !log || sum.inLog() != null)
              .collect(ImmutableMap.toImmutableMap(sum -> shown(sum.name()), sum -> sum));
    }

    private String sql(Sum sum) {
      return "SUM(" + (log ? sum.inLog() : sum.inTotals()) + ")";
    }

    /** Name of a sum or of a dimension's column in a report. */
    private String shown(String name) {
      return log ? name : CaseFormat.LOWER_UNDERSCORE.to(CaseFormat.LOWER_CAMEL, name);
    }
  }

  public enum Filter {
    PROJECT("project_id = (SELECT id FROM projects WHERE name = :PROJECT)"),
    KEY("key_id = (SELECT id FROM api_keys WHERE public_id = :KEY)"),
    PROVIDER("provider = :PROVIDER"),
    MODEL("model = :MODEL"),
    /** Hash of the thread's id, in the request log alone. */
    THREAD("thread_hash = UNHEX(:THREAD)");

    private final String condition;

    Filter(String condition) {
      this.condition = condition;
    }
  }

  public UsageTotals {
    by = List.copyOf(by);
    filters = Map.copyOf(filters);
  }

  public List<String> columns() {
    List<String> columns = new ArrayList<>();
    by.forEach(
        dimension ->
            dimension.columns().keySet().stream().map(source::shown).forEach(columns::add));
    columns.addAll(source.sums.keySet());
    return columns;
  }

  /**
   * Rows in the order of the dimensions: text for the dimensions, longs for the sums, and for the
   * cost dollars, or null where nothing is known.
   *
   * @param limit most rows
   */
  public List<Map<String, @Nullable Object>> rows(Handle handle, int limit) {
    String groups =
        by.stream()
            .map(d -> d.expression() + " AS " + d.alias() + ", ")
            .collect(Collectors.joining());
    String shown =
        by.stream()
            .flatMap(d -> d.columns().entrySet().stream())
            .map(column -> column.getValue() + " AS `" + source.shown(column.getKey()) + "`, ")
            .collect(Collectors.joining());
    String sums =
        source.sums.entrySet().stream()
            .map(sum -> source.sql(sum.getValue()) + " AS " + sum.getKey())
            .collect(Collectors.joining(", "));
    String sql =
        "SELECT "
            + shown
            + source.sums.keySet().stream().map(n -> "t." + n).collect(Collectors.joining(", "))
            + " FROM (SELECT "
            + groups
            + sums
            + " FROM "
            + source.name().toLowerCase(Locale.ROOT)
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
              Map<String, @Nullable Object> values = new LinkedHashMap<>();
              for (String column : columns) {
                Sum sum = source.sums.get(column);
                if (sum != null) {
                  values.put(column, sum.reported(row, column));
                } else {
                  String text = row.getString(column);
                  values.put(column, text == null ? "" : text);
                }
              }
              return values;
            })
        .list();
  }

  /** Sums over rows of the report. */
  public Map<String, @Nullable Object> total(List<Map<String, @Nullable Object>> rows) {
    Map<String, @Nullable Object> total = new LinkedHashMap<>();
    source.sums.forEach((name, sum) -> total.put(name, sum.none()));
    for (Map<String, @Nullable Object> row : rows) {
      total.replaceAll((name, sum) -> Sum.add(sum, row.get(name)));
    }
    return total;
  }
}
