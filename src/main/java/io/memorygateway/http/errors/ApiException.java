package io.memorygateway.http.errors;

import com.google.common.base.CharMatcher;
import java.util.Collection;

/**
 * Ends a request with an {@link ApiError}. Thrown anywhere below a filter; rendered by one mapper.
 */
public class ApiException extends RuntimeException {
  private static final int MAX_NAME = 40;
  private static final CharMatcher LETTERS =
      CharMatcher.inRange('a', 'z').or(CharMatcher.inRange('A', 'Z'));

  private final transient ApiError error;

  public ApiException(ApiError error) {
    super(error.message(), null, false, false);
    this.error = error;
  }

  public static ApiException of(int status, ErrorType type, String message) {
    return new ApiException(ApiError.of(status, type, message));
  }

  public static ApiException invalidRequest(String message) {
    return new ApiException(ApiError.invalidRequest(message));
  }

  /**
   * 400 for a name that there is not: were it ignored, one that is misspelt would go unnoticed. It
   * is told if it is a plain word, and so neither an id nor a secret.
   *
   * @param what such as "member of the body"
   */
  public static ApiException unknownName(String what, String name, Collection<String> known) {
    boolean isPlain = !name.isEmpty() && name.length() <= MAX_NAME && LETTERS.matchesAllOf(name);
    return invalidRequest(
        "Unknown %s%s; %s."
            .formatted(
                what,
                isPlain ? " " + name : "",
                known.isEmpty() ? "there are none" : "known are " + String.join(", ", known)));
  }

  public static ApiException notFound(String message) {
    return new ApiException(ApiError.notFound(message));
  }

  public static ApiException conflict(String message) {
    return new ApiException(ApiError.conflict(message));
  }

  /** 503 with {@code Retry-After}. */
  public static ApiException unavailable(String message, long retryAfterSeconds) {
    return new ApiException(ApiError.unavailable(message, retryAfterSeconds));
  }

  public ApiError error() {
    return error;
  }
}
