package io.memorygateway.memory.api;

import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.memory.rows.Page;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The query parameters {@code limit} and {@code offset}, and their output in lists.
 *
 * @param page to be served: a limit above {@value Page#MAX_LIMIT} is reduced to that, and an offset
 *     to the greatest number of the database
 * @param offset digits of the offset as they were received
 */
record PageParameters(Page page, String offset) {
  /** Bytes reserved for the members after the items. */
  private static final int END_BYTES = 256;

  private static final int MAX_DIGITS = 18;

  /**
   * Parses both.
   *
   * @throws ApiException 400 if one of them is not a valid number
   */
  static PageParameters of(@Nullable String limit, @Nullable String offset, int defaultLimit) {
    long wanted = limit == null ? defaultLimit : number(limit);
    if (wanted < 1) {
      throw ApiException.invalidRequest("limit must be a positive integer.");
    }
    long skipped = offset == null ? 0 : number(offset);
    if (skipped < 0) {
      throw ApiException.invalidRequest("offset must be an integer, 0 or more.");
    }
    return new PageParameters(
        new Page((int) Math.min(wanted, Page.MAX_LIMIT), skipped),
        offset == null ? "0" : significant(offset));
  }

  /** The same limit with another offset. */
  PageParameters withOffset(long skipped) {
    return new PageParameters(new Page(page.limit(), skipped), Long.toString(skipped));
  }

  /** Writes the items, separated by commas, up to the size limit of a page. */
  static <T> JsonWriter writeItems(
      JsonWriter out, List<T> items, BiConsumer<JsonWriter, T> writer) {
    int start = out.length();
    for (T item : items) {
      int before = out.length();
      writer.accept(out.element(), item);
      if (before > start && out.length() > Page.MAX_BYTES - END_BYTES) {
        out.truncate(before);
        break;
      }
    }
    return out;
  }

  /** Writes {@code ,"total":…,"limit":…,"offset":…}, the end of every list. */
  JsonWriter write(JsonWriter out, long total) {
    return out.ascii(",\"total\":")
        .number(total)
        .ascii(",\"limit\":")
        .number(page.limit())
        .ascii(",\"offset\":")
        .ascii(offset);
  }

  /** The number of the digits, reduced to the largest supported one; -1 if it is invalid. */
  private static long number(String digits) {
    if (digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return -1;
    }
    String significant = significant(digits);
    return significant.length() > MAX_DIGITS
        ? 1_000_000_000_000_000_000L
        : Long.parseLong(significant);
  }

  private static String significant(String digits) {
    int zeros = 0;
    while (zeros < digits.length() - 1 && digits.charAt(zeros) == '0') {
      zeros++;
    }
    return digits.substring(zeros);
  }
}
