package io.memorygateway.ops;

import io.memorygateway.json.Timestamps;
import io.memorygateway.operator.AdminTask;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.Role;
import io.memorygateway.operator.Table;
import io.memorygateway.operator.TaskUsage;
import io.memorygateway.price.Prices;
import io.memorygateway.price.Prices.Model;
import io.memorygateway.usage.Dimension;
import io.memorygateway.usage.UsageTotals;
import io.memorygateway.usage.UsageTotals.Source;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;

/** {@code price-check}: which models of the last 30 days have no price, the most called first. */
public record PriceCheckTask(Prices prices, Jdbi jdbi, InstantSource clock) implements AdminTask {
  public static final TaskUsage USAGE =
      new TaskUsage(
          "price-check",
          "List the models of the last 30 days that have no price",
          List.of(),
          Role.VIEWER,
          true);

  private static final Duration PERIOD = Duration.ofDays(30);
  private static final int MAX_MODELS = 10_000;
  private static final List<String> COLUMNS =
      List.of("provider", "model", "calls", "inputTokens", "outputTokens");

  /**
   * The answer.
   *
   * @param models that were looked at
   * @param truncated whether there are more, which were not
   */
  private record Report(
      String from, int models, boolean truncated, List<Map<String, Object>> withoutPrice) {}

  @Override
  public TaskUsage usage() {
    return USAGE;
  }

  @Override
  public Object run(ParameterValues values) {
    Instant now = clock.instant();
    Instant from = now.minus(PERIOD).truncatedTo(ChronoUnit.DAYS);
    UsageTotals totals =
        new UsageTotals(
            Source.USAGE_DAYS, from, now, List.of(Dimension.PROVIDER, Dimension.MODEL), Map.of());
    int models = 0;
    List<Map<String, Object>> withoutPrice = new ArrayList<>();
    List<Map<String, Object>> rows = jdbi.withHandle(handle -> totals.rows(handle, MAX_MODELS));
    for (Map<String, Object> row : rows) {
      // Names of which no call was answered cost nothing, and callers may invent them.
      if (number(row, "calls") > number(row, "errors")) {
        models++;
        Model model = new Model(text(row, "provider"), text(row, "model"));
        if (prices.find(model, now) == null) {
          row.keySet().retainAll(COLUMNS);
          withoutPrice.add(row);
        }
      }
    }
    withoutPrice.sort(
        Comparator.<Map<String, Object>>comparingLong(row -> number(row, "calls")).reversed());
    return new Report(Timestamps.format(from), models, rows.size() == MAX_MODELS, withoutPrice);
  }

  private static String text(Map<String, Object> row, String column) {
    return row.getOrDefault(column, "").toString();
  }

  private static long number(Map<String, Object> row, String column) {
    return ((Number) row.getOrDefault(column, 0L)).longValue();
  }

  @Override
  public Table table(Object answer) {
    Table table = new Table(COLUMNS);
    ((Report) answer)
        .withoutPrice.forEach(
            row -> table.add(row.values().stream().map(Object::toString).toList()));
    return table;
  }
}
