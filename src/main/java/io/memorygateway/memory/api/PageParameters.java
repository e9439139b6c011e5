package io.memorygateway.memory.api;

import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.json.JsonOut;
import io.memorygateway.memory.Page;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The query parameters {@code limit} and {@code offset}, and how lists echo them.
 *
 * @param page the page to be served: a limit beyond {@value Page#MAX_LIMIT} is served as that, and
 *     an offset as far as the database counts
 * @param offset the digits of the offset as they were received
 */
record PageParameters(Page page, String offset) {
  /** For what stands behind the items. */
  private static final int END_BYTES = 256;

  private static final int MAX_DIGITS = 18;

  /**
   * Parses both.
   *
   * @throws ApiException 400 if one of them is not a number that it may be
   */
  static PageParameters of(@Nullable String limit, @Nullable String offset, int defaultLimit) {
    long wanted = limit == null ? defaultLimit : number(limit);
    if (wanted < 1) {
      throw new ApiException(ApiError.invalidRequest("limit must be a positive integer."));
    }
    long skipped = offset == null ? 0 : number(offset);
    if (skipped < 0) {
      throw new ApiException(ApiError.invalidRequest("offset must be an integer, 0 or more."));
    }
    return new PageParameters(
        new Page((int) Math.min(wanted, Page.MAX_LIMIT), skipped),
        offset == null ? "0" : significant(offset));
  }

  /** The same limit with another offset. */
  PageParameters withOffset(long skipped) {
    return new PageParameters(new Page(page.limit(), skipped), Long.toString(skipped));
  }

  /** The items, with commas between them, as many as the page may hold. */
  static <T> JsonOut writeItems(JsonOut out, List<T> items, BiConsumer<JsonOut, T> writer) {
    String separator = "";
    for (T item : items) {
      int before = out.length();
      writer.accept(out.ascii(separator), item);
      if (!separator.isEmpty() && out.length() > Page.MAX_BYTES - END_BYTES) {
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
        .number(page.limit())
        .ascii(",\"offset\":")
        .ascii(offset);
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
