package io.memorygateway.usage;

import com.google.common.base.CaseFormat;
import com.google.common.collect.ImmutableList;
import io.memorygateway.figures.CallFigures;
import io.memorygateway.figures.Figure;
import io.memorygateway.price.PicoDollars;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Definition of a sum over calls.
 *
 * @param name in reports of the command line
 * @param column of the tables of totals
 * @param inLog SQL of what a row of the request log adds; null: reports over the log do not have it
 * @param inTotals SQL of what a row of totals adds
 * @param of what an attempt adds to the column; null: nothing is known
 */
public record Sum(
    String name,
    String column,
    @Nullable String inLog,
    String inTotals,
    Function<CallFigures, @Nullable Long> of) {
  private static final String ANSWERED = "outcome = 'answered'";

  /** All sums, in the order of the columns and of reports. */
  public static final List<Sum> ALL = all();

  private static List<Sum> all() {
    ImmutableList.Builder<Sum> all = ImmutableList.builder();
    all.add(count("calls", ANSWERED, call -> call.attempt().answered()));
    all.add(count("errors", ANSWERED + " AND status >= 400", CallFigures::isError));
    all.add(count("failed_attempts", "outcome <> 'answered'", call -> !call.attempt().answered()));
    all.add(
        count(
            "calls_without_tokens",
            ANSWERED + " AND status < 400 AND input_tokens IS NULL AND output_tokens IS NULL",
            Sum::lacksTokens));
    for (Figure figure : Figure.TOKENS) {
      String column = figure.column();
      all.add(
          new Sum(
              figure.wireName(),
              column,
              column,
              column,
              call -> Math.max(call.values().get(figure), 0)));
    }
    String cost = Figure.COST.column();
    all.add(new Sum(cost, cost, cost, cost, call -> call.values().stored(Figure.COST)));
    // Of calls by the version before, and before the price was counted, no column says anything.
    all.add(
        new Sum(
            "calls_without_cost",
            "calls_with_cost",
            ANSWERED + " AND status < 400 AND cost IS NULL",
            "calls - errors - calls_with_cost",
            call -> hasCost(call) ? 1L : 0));
    String duration = Figure.DURATION_MS.column();
    all.add(new Sum(duration, duration, null, duration, Sum::callMillis));
    return all.build();
  }

  private static Sum count(String name, String inLog, Predicate<CallFigures> counted) {
    return new Sum(name, name, inLog, name, call -> counted.test(call) ? 1L : 0);
  }

  /** Whether it is that of money, in pico-dollars, which is null where nothing is known. */
  public boolean isCost() {
    return column.equals(Figure.COST.column());
  }

  /** The value in a row of a report: a long; of the cost decimal dollars, or null. */
  public @Nullable Object reported(ResultSet row, String column) throws SQLException {
    if (!isCost()) {
      return row.getLong(column);
    }
    BigDecimal cost = row.getBigDecimal(column);
    return cost == null ? null : PicoDollars.dollars(cost);
  }

  /** The value for no calls. */
  public @Nullable Object none() {
    return isCost() ? null : (Object) 0L;
  }

  /** Adds two values of reports. */
  public static @Nullable Object add(@Nullable Object one, @Nullable Object other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one instanceof Long number
        ? (Object) Math.addExact(number, (Long) other)
        : new BigDecimal(one.toString())
            .add(new BigDecimal(other.toString()))
            .stripTrailingZeros()
            .toPlainString();
  }

  private static boolean hasCost(CallFigures call) {
    return call.attempt().answered()
        && !call.isError()
        && call.values().stored(Figure.COST) != null;
  }

  private static boolean lacksTokens(CallFigures call) {
    return call.attempt().answered()
        && !call.isError()
        && call.values().stored(Figure.INPUT_TOKENS) == null
        && call.values().stored(Figure.OUTPUT_TOKENS) == null;
  }

  private static long callMillis(CallFigures call) {
    Long millis = call.values().stored(Figure.DURATION_MS);
    return call.attempt().answered() && millis != null ? millis : 0;
  }

  public String jsonName() {
    return CaseFormat.LOWER_UNDERSCORE.to(CaseFormat.LOWER_CAMEL, name);
  }
}
