package io.memorygateway.memory;

import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.json.JsonOut;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Which part of a list is asked for.
 *
 * @param limit 1 to {@value #MAX_LIMIT}; a larger one is served, and echoed, as that
 * @param offset 0 or more; as far as the database counts
 * @param askedOffset the digits of the offset that was asked for
 */
record Page(int limit, long offset, String askedOffset) {
  static final int MAX_LIMIT = 200;

  /** A page ends before it is larger, at one item or more. */
  static final int MOST_BYTES = 16 << 20;

  /** For what stands behind the items. */
  private static final int END_BYTES = 256;

  private static final int MAX_DIGITS = 18;

  Page(int limit, long offset) {
    this(limit, offset, Long.toString(offset));
  }

  /**
   * The query parameters {@code limit} and {@code offset}.
   *
   * @throws ApiException 400 if one of them is not a number that it may be
   */
  static Page of(@Nullable String limit, @Nullable String offset, int defaultLimit) {
    long wanted = limit == null ? defaultLimit : number(limit);
    if (wanted < 1) {
      throw new ApiException(ApiError.invalidRequest("limit must be a positive integer."));
    }
    long skipped = offset == null ? 0 : number(offset);
    if (skipped < 0) {
      throw new ApiException(ApiError.invalidRequest("offset must be an integer, 0 or more."));
    }
    return new Page(
        (int) Math.min(wanted, MAX_LIMIT), skipped, offset == null ? "0" : significant(offset));
  }

  /** The items, with commas between them, as many as the page may hold. */
  static <T> JsonOut writeItems(JsonOut out, List<T> items, BiConsumer<JsonOut, T> writer) {
    String separator = "";
    for (T item : items) {
      int before = out.length();
      writer.accept(out.ascii(separator), item);
      if (!separator.isEmpty() && out.length() > MOST_BYTES - END_BYTES) {
        out.truncate(before);
        break;
      }
      separator = ",";
    }
    return out;
  }

  /** {@code ,"total":…,"limit":…,"offset":…}, as every list ends. */
  JsonOut write(JsonOut out, long total) {
    return out.ascii(",\"total\":")
        .number(total)
        .ascii(",\"limit\":")
        .number(limit)
        .ascii(",\"offset\":")
        .ascii(askedOffset);
  }

  /** The number that the digits stand for, the largest one that we count to, or -1. */
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
    return digits.replaceFirst("^0+(?=.)", "");
  }
}
