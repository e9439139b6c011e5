package io.memorygateway.usage;

import com.google.common.base.CaseFormat;
import com.google.common.collect.ImmutableList;
import io.memorygateway.figures.CallFigures;
import io.memorygateway.figures.Figure;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Definition of a sum over calls.
 *
 * @param name in reports of the command line
 * @param column of the tables of totals
 * @param inLog SQL of what a row of the request log adds; null: reports over the log do not have it
 * @param of what an attempt adds
 */
public record Sum(
    String name, String column, @Nullable String inLog, ToLongFunction<CallFigures> of) {
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
      all.add(
          new Sum(
              figure.wireName(),
              figure.column(),
              figure.column(),
              call -> Math.max(call.values().get(figure), 0)));
    }
    String duration = Figure.DURATION_MS.column();
    all.add(new Sum(duration, duration, null, Sum::callMillis));
    return all.build();
  }

  private static Sum count(String name, String inLog, Predicate<CallFigures> counted) {
    return new Sum(name, name, inLog, call -> counted.test(call) ? 1 : 0);
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

  /** Name in the admin API. */
  public String jsonName() {
    return CaseFormat.LOWER_UNDERSCORE.to(CaseFormat.LOWER_CAMEL, name);
  }
}
