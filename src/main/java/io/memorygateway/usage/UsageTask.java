package io.memorygateway.usage;

import static java.util.Objects.requireNonNullElse;

import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.Timestamps;
import io.memorygateway.operator.AdminTask;
import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.Role;
import io.memorygateway.operator.Table;
import io.memorygateway.operator.TaskUsage;
import io.memorygateway.operator.TextAnswer;
import io.memorygateway.usage.UsageTotals.Filter;
import io.memorygateway.usage.UsageTotals.Source;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Admin task {@code usage}: totals over the request log, on the command line and on the admin port.
 */
public record UsageTask(Jdbi jdbi, InstantSource clock) implements AdminTask {
  public static final TaskUsage USAGE =
      TaskUsage.of(
          "usage",
          "Add up proxied calls, their tokens and what they cost",
          List.of(
              Parameter.optional("from", "a day or a time, UTC; 30 days ago if left out"),
              Parameter.optional("to", "a day, which is included, or a time, which is not; now"),
              Parameter.optional(
                  "by",
                  "one or more of "
                      + Dimension.wireNames(Source.REQUEST_LOG)
                      + "; day if left out"),
              Parameter.optional("project", "only the calls of this project"),
              Parameter.optional("thread", "only the calls of this thread of the project"),
              Parameter.optional("format", "table, csv or json")),
          Role.VIEWER);

  private static final Duration DEFAULT_PERIOD = Duration.ofDays(30);

  @Override
  public TaskUsage usage() {
    return USAGE;
  }

  @Override
  public Object run(ParameterValues values) {
    String format = values.oneOf("format", List.of("table", "csv", "json"));
    Instant to = requireNonNullElse(values.time("to", true), clock.instant());
    Instant from = requireNonNullElse(values.time("from", false), to.minus(DEFAULT_PERIOD));
    if (!from.isBefore(to)) {
      throw ApiException.invalidRequest("from must be before to.");
    }
    List<Dimension> by =
        Dimension.list(requireNonNullElse(values.optional("by"), "day"), Source.REQUEST_LOG);
    UsageTotals totals =
        new UsageTotals(Source.REQUEST_LOG, from, to, by, jdbi.withHandle(h -> filters(h, values)));
    List<Map<String, @Nullable Object>> rows =
        jdbi.withHandle(h -> totals.rows(h, Integer.MAX_VALUE));
    List<String> columns = totals.columns();
    if (format == null || format.equals("json")) {
      Map<String, Object> report = new LinkedHashMap<>();
      report.put("from", Timestamps.format(from));
      report.put("to", Timestamps.format(to));
      report.put("rows", rows);
      report.put("total", totals.total(rows));
      return report;
    }
    Table table = new Table(columns);
    rows.forEach(row -> table.add(cells(columns, row)));
    if (format.equals("csv")) {
      return new TextAnswer("text/csv; charset=utf-8", table.csv());
    }
    Map<String, @Nullable Object> last = new LinkedHashMap<>();
    last.put(columns.get(0), "total");
    last.putAll(totals.total(rows));
    table.add(cells(columns, last));
    return new TextAnswer("text/plain; charset=utf-8", table.text());
  }

  private static Map<Filter, String> filters(Handle handle, ParameterValues values) {
    Map<Filter, String> filters = new EnumMap<>(Filter.class);
    String project = values.optional("project");
    String thread = values.optional("thread");
    if (project != null) {
      filters.put(Filter.PROJECT, project);
    } else if (thread != null) {
      throw ApiException.invalidRequest(
          "thread needs project: ids of threads are the project's own.");
    }
    if (thread != null) {
      filters.put(
          Filter.THREAD,
          handle
              .createQuery("SELECT id FROM projects WHERE name = :name")
              .bind("name", project)
              .mapTo(Long.class)
              .findOne()
              .map(id -> LoggedCall.hash(id, thread))
              .orElse(""));
    }
    return filters;
  }

  private static List<String> cells(List<String> columns, Map<String, @Nullable Object> row) {
    return columns.stream().map(column -> Objects.toString(row.get(column), "")).toList();
  }
}
