package io.memorygateway.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.json.Timestamps;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A statement, or several, with the values in its text. For statements of many rows that run for
 * every call: to bind their values costs more than all other work for them. No value can have a
 * meaning in SQL, whatever the session's {@code sql_mode}.
 */
public final class SqlText {
  /** The database's time in milliseconds since the epoch. */
  public static final String NOW_MILLIS =
      "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000";

  /** The greatest number of a column of integers; in digits it were an id of the last home. */
  public static final String GREATEST_NUMBER = "(~0 >> 1)";

  /** Characters of a time in milliseconds, as in 2026-01-31T23:59:59.999. */
  private static final int TIME_LENGTH = 23;

  private static final HexFormat HEX = HexFormat.of();

  private final StringBuilder text;

  /**
   * An empty text.
   *
   * @param capacity characters that it will have, about
   */
  public SqlText(int capacity) {
    this.text = new StringBuilder(capacity);
  }

  public SqlText sql(String sql) {
    text.append(sql);
    return this;
  }

  public SqlText number(long value) {
    text.append(value);
    return this;
  }

  /** Appends an integer, or {@code NULL}. */
  public SqlText number(@Nullable Number value) {
    text.append(value == null ? "NULL" : value.toString());
    return this;
  }

  /** Appends integers, separated by commas. */
  public SqlText numbers(Collection<Long> values) {
    return list(values, (sql, value) -> sql.number(value.longValue()));
  }

  public <T> SqlText list(Collection<T> items, BiConsumer<SqlText, T> append) {
    return join(",", items, append);
  }

  /**
   * Appends conditions of which one is to hold. Several tell no home, even of the same: a list of
   * their ids is to be said beside them.
   */
  public <T> SqlText any(Collection<T> items, BiConsumer<SqlText, T> append) {
    return sql("(").join(" OR ", items, append).sql(")");
  }

  private <T> SqlText join(String between, Collection<T> items, BiConsumer<SqlText, T> append) {
    String separator = "";
    for (T item : items) {
      text.append(separator);
      append.accept(this, item);
      separator = between;
    }
    return this;
  }

  /** Appends a number for each row, by the ids of the rows in a column. */
  public <T> SqlText cases(String column, Map<Long, T> rows, ToLongFunction<T> number) {
    sql("CASE ").sql(column);
    rows.forEach(
        (id, row) ->
            sql(" WHEN ").number(id.longValue()).sql(" THEN ").number(number.applyAsLong(row)));
    return sql(" END");
  }

  /** Appends the condition that the ids of a column are of a home. */
  public SqlText within(Home home, String column) {
    return sql(" AND ")
        .sql(column)
        .sql(" BETWEEN ")
        .number(home.first())
        .sql(" AND ")
        .number(home.last());
  }

  /** Appends a time in UTC, with milliseconds. */
  public SqlText time(Instant value) {
    text.append('\'').append(Timestamps.format(value), 0, TIME_LENGTH).append('\'');
    return this;
  }

  /** Appends a string of characters, or {@code NULL}. */
  public SqlText string(@Nullable String value) {
    if (value == null) {
      text.append("NULL");
    } else if (isPlain(value)) {
      text.append('\'').append(value.replace("'", "''")).append('\'');
    } else {
      text.append("_utf8mb4 x'");
      HEX.formatHex(text, value.getBytes(UTF_8));
      text.append('\'');
    }
    return this;
  }

  /** Appends a string of bytes, or {@code NULL}. */
  public SqlText bytes(byte @Nullable [] value) {
    if (value == null) {
      text.append("NULL");
    } else {
      text.append("x'");
      HEX.formatHex(text, value);
      text.append('\'');
    }
    return this;
  }

  /** Appends the bytes that hexadecimal digits stand for, or {@code NULL}. */
  public SqlText hex(@Nullable String digits) {
    return bytes(digits == null ? null : HEX.parseHex(digits));
  }

  public void execute(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setEscapeProcessing(false);
      statement.execute(text.toString());
    }
  }

  /** Reads a row of an answer. */
  public interface RowReader {
    void read(ResultSet row) throws SQLException;
  }

  /** Executes a query and has each row of its answer read. */
  public void query(Connection connection, RowReader reader) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setEscapeProcessing(false);
      try (ResultSet rows = statement.executeQuery(text.toString())) {
        while (rows.next()) {
          reader.read(rows);
        }
      }
    }
  }

  /**
   * Whether every character, but for quotes, stands for itself between quotes: a backslash may or
   * may not. Connections use UTF-8.
   */
  private static boolean isPlain(String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c < ' ' || c == '\\') {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
