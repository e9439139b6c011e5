package io.memorygateway.usage;

import com.google.common.collect.ImmutableMap;
import io.memorygateway.http.errors.ApiException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Dimension by which a report can be grouped. */
public enum Dimension {
  DAY("DATE(started_at)", ImmutableMap.of("day", "CAST(t.day AS CHAR)")),
  PROJECT("project_id", ImmutableMap.of("project", "p.name")),
  KEY("key_id", ImmutableMap.of("key", "k.public_id", "key_name", "k.name")),
  ENDPOINT("endpoint", ImmutableMap.of("endpoint", "t.endpoint")),
  PROVIDER("provider", ImmutableMap.of("provider", "t.provider")),
  MODEL("model", ImmutableMap.of("model", "t.model")),
  STATUS("status", ImmutableMap.of("status", "CAST(t.status AS CHAR)")),
  /** The hash of its id, in the request log alone. */
  THREAD("thread_hash", ImmutableMap.of("thread", "LOWER(HEX(t.thread_hash))"));

  private final String expression;
  private final ImmutableMap<String, String> columns;

  Dimension(String expression, ImmutableMap<String, String> columns) {
    this.expression = expression;
    this.columns = columns;
  }

  /** SQL expression over a row of the request log. */
  String expression() {
    return expression;
  }

  String alias() {
    return this == DAY ? "day" : expression;
  }

  /** Columns of the report, and their SQL expressions over a group {@code t}. */
  ImmutableMap<String, String> columns() {
    return columns;
  }

  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Those by which rows of a table can be grouped. */
  private static Stream<Dimension> of(UsageTotals.Source source) {
    return Arrays.stream(values())
        .filter(each -> each != THREAD || source == UsageTotals.Source.REQUEST_LOG);
  }

  /** Reads names with commas between. */
  public static List<Dimension> list(String by, UsageTotals.Source source) {
    List<Dimension> dimensions = new ArrayList<>();
    for (String name : by.split(",", -1)) {
      Dimension dimension =
          of(source)
              .filter(d -> d.wireName().equals(name.strip()) && !dimensions.contains(d))
              .findFirst()
              .orElseThrow(
                  () ->
                      ApiException.invalidRequest(
                          "by must be some of " + wireNames(source) + ", with commas between."));
      dimensions.add(dimension);
    }
    return dimensions;
  }

  /** All names, for an error message. */
  static String wireNames(UsageTotals.Source source) {
    return of(source).map(Dimension::wireName).collect(Collectors.joining(", "));
  }
}
