package io.memorygateway.usage;

import com.google.common.collect.ImmutableList;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writer of totals over the request log: by hour and by day in all dimensions, and by five minutes
 * in a few ({@code usage_hours}, {@code usage_days}, {@code usage_traffic}). Totals are added in
 * the transaction that inserts the rows of the log, so that they are exact whenever a node dies and
 * however late a row is.
 */
final class RollUp {
  /** Columns of the sums, in the order of {@link Sums}. */
  static final List<String> NUMBERS =
      List.of(
          "calls",
          "errors",
          "failed_attempts",
          "calls_without_tokens",
          "input_tokens",
          "output_tokens",
          "cached_tokens",
          "duration_ms");

  /** Table of totals. */
  enum Table {
    /** Totals in few dimensions, for charts. */
    USAGE_TRAFFIC(Duration.ofMinutes(5), List.of("provider", "status", "error_type")),
    USAGE_HOURS(Duration.ofHours(1), Group.COLUMNS),
    USAGE_DAYS(Duration.ofDays(1), Group.COLUMNS);

    private final Duration length;
    private final ImmutableList<String> columns;

    Table(Duration length, List<String> columns) {
      this.length = length;
      this.columns = ImmutableList.copyOf(columns);
    }

    /** Name in SQL. */
    String sql() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Length of the time that a row covers. */
    Duration length() {
      return length;
    }

    /** Columns of the key after {@code started_at}. */
    List<String> columns() {
      return columns;
    }
  }

  /** Addition to the sums of a row that exists. */
  private static final String ADD =
      " ON DUPLICATE KEY UPDATE "
          + String.join(
              ", ", NUMBERS.stream().map(n -> "%1$s = %1$s + VALUES(%1$s)".formatted(n)).toList());

  private RollUp() {}

  /** Adds calls, in the transaction of the connection that inserts their rows. */
  static void add(Connection connection, List<LoggedCall> calls) throws SQLException {
    for (Table table : Table.values()) {
      add(connection, table, calls);
    }
  }

  /** Columns of a table, in the order of its key and of the sums. */
  private static String columns(Table table) {
    return "started_at, " + String.join(", ", table.columns()) + ", " + String.join(", ", NUMBERS);
  }

  private static void add(Connection connection, Table table, List<LoggedCall> calls)
      throws SQLException {
    // In the order of the key, so that two nodes lock rows in the same order.
    Map<Group, Sums> groups = new TreeMap<>(Group.ORDER);
    for (LoggedCall call : calls) {
      groups.computeIfAbsent(Group.of(call, table), group -> new Sums()).add(call);
    }
    int width = 1 + table.columns().size() + NUMBERS.size();
    String row = "(" + "?,".repeat(width - 1) + "?)";
    String sql =
        "INSERT INTO "
            + table.sql()
            + " ("
            + columns(table)
            + ") VALUES "
            + row
            + ("," + row).repeat(groups.size() - 1)
            + ADD;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int index = 1;
      for (Map.Entry<Group, Sums> group : groups.entrySet()) {
        index = group.getKey().bind(statement, index);
        index = group.getValue().bind(statement, index);
      }
      statement.executeUpdate();
    }
  }

  /**
   * Key of a row.
   *
   * @param values of the columns, each a string or a number
   */
  private record Group(Instant startedAt, List<Comparable<?>> values) {
    /** All key columns that a table may have. */
    static final List<String> COLUMNS =
        List.of("project_id", "key_id", "endpoint", "provider", "model", "status", "error_type");

    static final Comparator<Group> ORDER =
        Comparator.comparing(Group::startedAt).thenComparing(Group::values, Group::compare);

    static Group of(LoggedCall call, Table table) {
      long second = call.startedAt().getEpochSecond();
      long begin = second - Math.floorMod(second, table.length().toSeconds());
      List<Comparable<?>> values = new ArrayList<>();
      for (String column : table.columns()) {
        values.add(value(call, column));
      }
      return new Group(Instant.ofEpochSecond(begin), values);
    }

    private static Comparable<?> value(LoggedCall call, String column) {
      return switch (column) {
        case "project_id" -> call.projectId();
        case "key_id" -> call.keyId();
        case "endpoint" -> call.endpoint();
        case "provider" -> call.provider();
        case "model" -> call.model();
        case "status" -> (long) call.status();
        case "error_type" -> call.errorType() == null ? "" : call.errorType();
        default -> throw new IllegalArgumentException(column);
      };
    }

    private static int compare(List<Comparable<?>> one, List<Comparable<?>> other) {
      for (int i = 0; i < one.size(); i++) {
        int compared =
            one.get(i) instanceof Long number
                ? Long.compare(number, (Long) other.get(i))
                : one.get(i).toString().compareTo(other.get(i).toString());
        if (compared != 0) {
          return compared;
        }
      }
      return 0;
    }

    int bind(PreparedStatement statement, int first) throws SQLException {
      int index = first;
      statement.setTimestamp(index++, Timestamp.from(startedAt));
      for (Comparable<?> value : values) {
        statement.setObject(index++, value);
      }
      return index;
    }
  }

  /** Sums of a row. */
  private static final class Sums {
    private final long[] values = new long[NUMBERS.size()];

    void add(LoggedCall call) {
      boolean answered = call.attempt().outcome().equals(LoggedCall.ANSWERED);
      boolean error = call.status() >= 400;
      boolean withoutTokens = call.inputTokens() == null && call.outputTokens() == null;
      values[0] += answered ? 1 : 0;
      values[1] += answered && error ? 1 : 0;
      values[2] += answered ? 0 : 1;
      values[3] += answered && !error && withoutTokens ? 1 : 0;
      values[4] += orZero(call.inputTokens());
      values[5] += orZero(call.outputTokens());
      values[6] += orZero(call.cachedTokens());
      values[7] += answered ? call.durationMillis() : 0;
    }

    int bind(PreparedStatement statement, int first) throws SQLException {
      int index = first;
      for (long value : values) {
        statement.setLong(index++, value);
      }
      return index;
    }

    private static long orZero(@Nullable Long value) {
      return value == null ? 0 : value;
    }
  }
}
