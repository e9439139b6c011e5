package io.memorygateway.database;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/**
 * Pages of rows, for statements whose rows have no bound of their own: there are servers that
 * refuse a statement of more than 10,000 rows.
 */
public final class RowPages {
  /** Rows of a statement at most. */
  public static final int ROWS = 8_192;

  private RowPages() {}

  /**
   * Reads all rows.
   *
   * @param key by which rows are ordered
   * @param page reads the first {@link #ROWS} rows behind a key
   */
  public static <T> List<T> read(ToLongFunction<T> key, LongFunction<List<T>> page) {
    return read(Integer.MAX_VALUE, key, page);
  }

  /**
   * Reads rows.
   *
   * @param enough after so many, no other page is read
   */
  public static <T> List<T> read(int enough, ToLongFunction<T> key, LongFunction<List<T>> page) {
    List<T> all = new ArrayList<>(page.apply(Long.MIN_VALUE));
    for (int read = all.size(); read == ROWS && all.size() < enough; ) {
      List<T> next = page.apply(key.applyAsLong(all.get(all.size() - 1)));
      all.addAll(next);
      read = next.size();
    }
    return all;
  }

  /**
   * Deletes all rows.
   *
   * @param page deletes {@link #ROWS} rows at most and returns their number
   */
  public static void delete(IntSupplier page) {
    while (page.getAsInt() == ROWS) {}
  }
}
