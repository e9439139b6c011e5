package io.memorygateway.testing;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;

/** Rows that the database makes itself, which takes no time to speak of. */
public final class ManyRows {
  private static final int DIGITS = 5;

  private ManyRows() {}

  /**
   * Inserts rows.
   *
   * @param into table and columns
   * @param values of a row whose number is {@code n}, from 0 on
   */
  public static void insert(Handle handle, String into, String values, int rows) {
    String digit =
        IntStream.range(0, 10)
            .mapToObj(i -> "SELECT " + i + " AS d")
            .collect(Collectors.joining(" UNION ALL "));
    String number =
        IntStream.range(0, DIGITS)
            .mapToObj(i -> "d" + i + ".d * " + (int) Math.pow(10, i))
            .collect(Collectors.joining(" + "));
    String digits =
        IntStream.range(0, DIGITS)
            .mapToObj(i -> "(" + digit + ") d" + i)
            .collect(Collectors.joining(", "));
    handle.execute(
        "INSERT INTO %s SELECT %s FROM (SELECT %s AS n FROM %s) numbers WHERE n < %d"
            .formatted(into, values, number, digits, rows));
  }
}
