package io.memorygateway.usage;

import static java.util.Objects.requireNonNullElse;

import com.google.common.collect.Comparators;
import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import io.memorygateway.database.Home;
import io.memorygateway.database.SqlText;
import io.memorygateway.figures.CallFigures;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writer of totals over the request log: by hour and by day in all dimensions, and by five minutes
 * in a few ({@code usage_hours}, {@code usage_days}, {@code usage_traffic}). Totals are added in
 * the transaction that inserts the rows of the log, so that they are exact whenever a node dies and
 * however late a row is.
 */
final class RollUp {
  enum Table {
    /** Totals in few dimensions, for charts. */
    USAGE_TRAFFIC(Duration.ofMinutes(5), List.of("provider", "status", "error_type", "home_id")),
    USAGE_HOURS(Duration.ofHours(1), Group.COLUMNS),
    USAGE_DAYS(Duration.ofDays(1), Group.COLUMNS);

    private final Duration length;
    private final ImmutableList<String> columns;

    Table(Duration length, List<String> columns) {
      this.length = length;
      this.columns = ImmutableList.copyOf(columns);
    }

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
              ", ",
              Sum.ALL.stream()
                  .map(
                      sum ->
                          (sum.isCost()
                                  // More than fits is as much as fits: no row is lost for it.
                                  ? "%1$s = COALESCE(LEAST("
                                      + SqlText.GREATEST_NUMBER
                                      + ", CAST(%1$s AS DECIMAL(20)) + VALUES(%1$s)), VALUES(%1$s), %1$s)"
                                  : "%1$s = %1$s + VALUES(%1$s)")
                              .formatted(sum.column()))
                  .toList());

  private RollUp() {}

  /**
   * Adds calls, in the transaction of the connection that inserts their rows.
   *
   * @param models name of each call's model under which it counts
   */
  static void add(Connection connection, List<LoggedCall> calls, List<String> models)
      throws SQLException {
    // Most calls of a batch are alike: what differs in nothing is added up once for all tables.
    Map<Group, @Nullable Long[]> finest = new HashMap<>();
    for (int n = 0; n < calls.size(); n++) {
      CallFigures figures = calls.get(n).figures();
      addTo(finest, Group.of(calls.get(n), models.get(n)), i -> Sum.ALL.get(i).of().apply(figures));
    }
    for (Table table : Table.values()) {
      add(connection, table, finest);
    }
  }

  private static void addTo(
      Map<Group, @Nullable Long[]> groups, Group group, IntFunction<@Nullable Long> added) {
    @Nullable Long[] sums = groups.computeIfAbsent(group, each -> new Long[Sum.ALL.size()]);
    Arrays.setAll(sums, i -> sum(sums[i], added.apply(i)));
  }

  private static void add(Connection connection, Table table, Map<Group, @Nullable Long[]> finest)
      throws SQLException {
    // In the order of the key, so that two nodes lock rows in the same order.
    Map<Group, @Nullable Long[]> groups = new TreeMap<>(Group.ORDER);
    finest.forEach((group, sums) -> addTo(groups, group.in(table), i -> sums[i]));
    List<String> columns = new ArrayList<>(List.of("started_at"));
    columns.addAll(table.columns());
    Sum.ALL.forEach(sum -> columns.add(sum.column()));
    int width = columns.size();
    String row = "(" + "?,".repeat(width - 1) + "?)";
    String sql =
        "INSERT INTO "
            + table.sql()
            + " ("
            + String.join(", ", columns)
            + ") VALUES "
            + row
            + ("," + row).repeat(groups.size() - 1)
            + ADD;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int index = 1;
      for (Map.Entry<Group, @Nullable Long[]> group : groups.entrySet()) {
        index = group.getKey().bind(statement, index);
        for (Long sum : group.getValue()) {
          statement.setObject(index++, sum, Types.BIGINT);
        }
      }
      statement.executeUpdate();
    }
  }

  private static @Nullable Long sum(@Nullable Long one, @Nullable Long other) {
    return one == null
        ? other
        : other == null ? one : Long.valueOf(LongMath.saturatedAdd(one, other));
  }

  /**
   * Key of a row.
   *
   * @param values of the columns, each a string or a number
   */
  private record Group(Instant startedAt, List<Comparable<?>> values) {
    /** Key columns of a table that has all dimensions. */
    static final List<String> COLUMNS =
        List.of("project_id", "key_id", "endpoint", "provider", "model", "status", "error_type");

    /** Key column of a table that has not the project; its value stands last. */
    private static final String HOME = "home_id";

    static final Comparator<Group> ORDER =
        Comparator.comparing(Group::startedAt)
            .thenComparing(Group::values, Comparators.lexicographical(Group::compare));

    /** The group of a call in the shortest time and all columns. */
    static Group of(LoggedCall call, String model) {
      CallFigures figures = call.figures();
      return new Group(
          begin(call.startedAt(), Table.USAGE_TRAFFIC),
          List.of(
              call.projectId(),
              call.keyId(),
              call.endpoint(),
              figures.provider(),
              model,
              (long) figures.status(),
              requireNonNullElse(figures.errorType(), ""),
              Home.of(call.projectId()).first()));
    }

    /** The group of a table that it belongs to. */
    Group in(Table table) {
      List<Comparable<?>> own = new ArrayList<>();
      for (String column : table.columns()) {
        own.add(values.get(column.equals(HOME) ? COLUMNS.size() : COLUMNS.indexOf(column)));
      }
      return new Group(begin(startedAt, table), own);
    }

    private static Instant begin(Instant at, Table table) {
      long second = at.getEpochSecond();
      return Instant.ofEpochSecond(second - Math.floorMod(second, table.length().toSeconds()));
    }

    private static int compare(Comparable<?> one, Comparable<?> other) {
      return one instanceof Long number
          ? Long.compare(number, (Long) other)
          : one.toString().compareTo(other.toString());
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
}
