package io.memorygateway.console;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.memorygateway.figures.Figure;
import io.memorygateway.json.Timestamps;
import io.memorygateway.usage.Sum;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Reads of the totals for the overview.
 *
 * @param table of totals for the buckets
 * @param bucket length of one
 * @param from start of the first bucket
 * @param topTable table of totals for keys and models
 * @param topFrom start of its first row
 */
record OverviewReads(
    String table, Duration bucket, Instant from, Instant to, String topTable, Instant topFrom) {
  private static final Duration INTERVAL = Duration.ofMinutes(5);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DAY = Duration.ofDays(1);

  /**
   * Age of the oldest totals by five minutes and by hour that are used; they are stored a little
   * longer.
   */
  private static final Duration DETAILS_KEPT = Duration.ofDays(35);

  /** Longest range with short buckets; beyond it, buckets are whole days. */
  private static final Duration CHART_OF_DETAILS = Duration.ofDays(8);

  /** Longest range in which keys and models are added up by hours; beyond it, by whole days. */
  private static final Duration TOP_BY_HOURS = Duration.ofHours(36);

  private static final int MAX_BUCKETS = 500;
  private static final int TOP_ROWS = 10;
  private static final int MAX_ERRORS = 20;

  /** Every sum, under its name in JSON. */
  private static final String SUMS =
      Sum.ALL.stream()
          .map(sum -> "SUM(" + sum.inTotals() + ") AS " + sum.jsonName())
          .collect(Collectors.joining(", "));

  private static final String WITHIN = "u.started_at >= :from AND u.started_at < :to";

  /**
   * Chooses the reads for a range; it is widened to whole buckets, and that of keys and models to
   * whole hours.
   */
  static OverviewReads of(TimeRange range, Instant now) {
    Duration length = Duration.between(range.from(), range.to());
    boolean recent =
        range.from().isAfter(now.minus(DETAILS_KEPT)) && length.compareTo(CHART_OF_DETAILS) <= 0;
    Duration row = recent ? INTERVAL : DAY;
    Instant from = floor(range.from(), row);
    long rows = (Duration.between(from, range.to()).toMillis() - 1) / row.toMillis() + 1;
    long together = 1;
    while (rows / together > MAX_BUCKETS / 2) {
      together = recent && together == 1 ? 3 : together * 2;
    }
    Duration bucket = row.multipliedBy(together);
    boolean hours = recent && length.compareTo(TOP_BY_HOURS) <= 0;
    return new OverviewReads(
        recent ? "usage_traffic" : "usage_days",
        bucket,
        floor(from, bucket),
        range.to(),
        hours ? "usage_hours" : "usage_days",
        floor(range.from(), hours ? HOUR : DAY));
  }

  private static Instant floor(Instant time, Duration length) {
    return Instant.ofEpochSecond(
        time.getEpochSecond() - Math.floorMod(time.getEpochSecond(), length.toSeconds()));
  }

  record Totals(@JsonUnwrapped Sums sums, @Nullable Long averageMs, long refused) {}

  record Bucket(String at, @JsonUnwrapped MainSums sums, long refused, @Nullable Long averageMs) {}

  record TopKey(
      @Nullable String project,
      @Nullable String keyId,
      @Nullable String keyName,
      @JsonUnwrapped MainSums sums) {}

  record TopModel(
      String provider, String model, @JsonUnwrapped MainSums sums, @Nullable Long averageMs) {}

  record Errors(int status, @Nullable String type, long calls) {}

  record Refusals(String rule, long refused) {}

  record Traffic(Totals totals, List<Bucket> buckets) {}

  /** The sums that charts and lists show. */
  record MainSums(
      long calls, long errors, long inputTokens, long outputTokens, @Nullable String cost) {}

  /** Sums of rows by their names in JSON; see {@link Sum#reported}. */
  record Sums(@JsonAnyGetter Map<String, @Nullable Object> byName) {
    static Sums none() {
      Map<String, @Nullable Object> byName = new LinkedHashMap<>();
      Sum.ALL.forEach(sum -> byName.put(sum.jsonName(), sum.none()));
      return new Sums(byName);
    }

    static Sums of(ResultSet row) throws SQLException {
      Map<String, @Nullable Object> byName = new LinkedHashMap<>();
      for (Sum sum : Sum.ALL) {
        byName.put(sum.jsonName(), sum.reported(row, sum.jsonName()));
      }
      return new Sums(byName);
    }

    void add(Sums other) {
      byName.replaceAll((name, sum) -> Sum.add(sum, other.byName.get(name)));
    }

    private long get(String name) {
      return byName.get(name) instanceof Long sum ? sum : 0;
    }

    /** Average milliseconds of a call; null if there are no calls. */
    @Nullable Long averageMs() {
      return get("calls") == 0 ? null : get("durationMs") / get("calls");
    }

    MainSums main() {
      return new MainSums(
          get("calls"),
          get("errors"),
          get("inputTokens"),
          get("outputTokens"),
          (String) byName.get(Figure.COST.jsonName()));
    }
  }

  Traffic traffic(Handle handle) {
    Map<Long, Long> refused = new HashMap<>();
    bound(
            handle,
            """
            SELECT %s AS bucket, SUM(refused) AS refused FROM rate_limit_refusals
            WHERE minute >= :from AND minute < :to GROUP BY bucket
            """
                .formatted(number("minute")))
        .bind("seconds", bucket.toSeconds())
        .map((row, context) -> refused.put(row.getLong("bucket"), row.getLong("refused")))
        .list();
    Map<Long, Sums> found = new HashMap<>();
    bound(
            handle,
            "SELECT %s AS bucket, %s FROM %s u WHERE %s GROUP BY bucket"
                .formatted(number("u.started_at"), SUMS, table, WITHIN))
        .bind("seconds", bucket.toSeconds())
        .map((row, context) -> found.put(row.getLong("bucket"), Sums.of(row)))
        .list();
    List<Bucket> all = new ArrayList<>();
    Sums none = Sums.none();
    Sums sums = Sums.none();
    long first = from.getEpochSecond() / bucket.toSeconds();
    for (long number = first; number * bucket.toMillis() < to.toEpochMilli(); number++) {
      Sums one = found.getOrDefault(number, none);
      sums.add(one);
      all.add(
          new Bucket(at(number), one.main(), refused.getOrDefault(number, 0L), one.averageMs()));
    }
    long allRefused = refused.values().stream().mapToLong(Long::longValue).sum();
    return new Traffic(new Totals(sums, sums.averageMs(), allRefused), all);
  }

  List<TopKey> keys(Handle handle) {
    return top(
            handle,
            """
            SELECT p.name AS project, k.public_id, k.name, t.*
            FROM (SELECT u.project_id, u.key_id, %s FROM %s u WHERE %s
                  GROUP BY u.project_id, u.key_id ORDER BY calls DESC, u.key_id LIMIT %d) t
            LEFT JOIN projects p ON p.id = t.project_id LEFT JOIN api_keys k ON k.id = t.key_id
            ORDER BY t.calls DESC, t.key_id
            """)
        .map(
            (row, context) ->
                new TopKey(
                    row.getString("project"),
                    row.getString("public_id"),
                    row.getString("name"),
                    Sums.of(row).main()))
        .list();
  }

  List<TopModel> models(Handle handle) {
    return top(
            handle,
            """
            SELECT u.provider, u.model, %s FROM %s u WHERE %s
            GROUP BY u.provider, u.model ORDER BY calls DESC, u.provider, u.model LIMIT %d
            """)
        .map(
            (row, context) -> {
              Sums sums = Sums.of(row);
              return new TopModel(
                  row.getString("provider"), row.getString("model"), sums.main(), sums.averageMs());
            })
        .list();
  }

  List<Errors> errors(Handle handle) {
    return bound(
            handle,
            """
            SELECT u.status, NULLIF(u.error_type, '') AS type, SUM(u.errors) AS calls FROM %s u WHERE %s AND u.errors > 0
            GROUP BY u.status, u.error_type ORDER BY calls DESC, u.status LIMIT %d
            """
                .formatted(table, WITHIN, MAX_ERRORS))
        .mapTo(Errors.class)
        .list();
  }

  List<Refusals> refusals(Handle handle) {
    return bound(
            handle,
            """
            SELECT rule, SUM(refused) AS refused FROM rate_limit_refusals
            WHERE minute >= :from AND minute < :to GROUP BY rule ORDER BY refused DESC, rule LIMIT %d
            """
                .formatted(TOP_ROWS))
        .mapTo(Refusals.class)
        .list();
  }

  /** A query with places for the sums, their table, its range and the number of rows. */
  private Query top(Handle handle, String sql) {
    return handle
        .createQuery(sql.formatted(SUMS, topTable, WITHIN, TOP_ROWS))
        .bind("from", topFrom)
        .bind("to", to);
  }

  private Query bound(Handle handle, String sql) {
    return handle.createQuery(sql).bind("from", from).bind("to", to);
  }

  private static String number(String column) {
    return "TIMESTAMPDIFF(SECOND, '1970-01-01', " + column + ") DIV :seconds";
  }

  private String at(long number) {
    return Timestamps.format(Instant.ofEpochSecond(number * bucket.toSeconds()));
  }
}
