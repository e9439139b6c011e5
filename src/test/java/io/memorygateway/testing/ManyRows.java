package io.memorygateway.testing;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;

/** Rows that differ by a number, in few statements of one shard. */
public final class ManyRows {
  private static final int AT_ONCE = 5_000;

  private ManyRows() {}

  /**
   * Inserts rows.
   *
   * @param into table and columns
   * @param values of a row whose number is {@code n}, from 0 on
   */
  public static void insert(Handle handle, String into, String values, int rows) {
    String[] parts = values.split("\\bn\\b", -1);
    // Not by Jdbi, which would read the long text twice.
    try (Statement statement = handle.getConnection().createStatement()) {
      for (int first = 0; first < rows; first += AT_ONCE) {
        statement.execute(
            IntStream.range(first, Math.min(rows, first + AT_ONCE))
                .mapToObj(n -> String.join(String.valueOf(n), parts))
                .collect(Collectors.joining("), (", "INSERT INTO " + into + " VALUES (", ")")));
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
