package io.memorygateway.console;

import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;

/** Limit of the rows of a page. */
final class PageLimit {
  private static final int MAX = 200;

  private PageLimit() {}

  /** Returns the limit that is served for the requested one. */
  static int of(int asked) {
    if (asked < 1) {
      throw new ApiException(ApiError.invalidRequest("limit must be a positive whole number."));
    }
    return Math.min(asked, MAX);
  }
}
