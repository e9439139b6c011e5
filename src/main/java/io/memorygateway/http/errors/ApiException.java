package io.memorygateway.http.errors;

/**
 * Ends a request with an {@link ApiError}. Thrown anywhere below a filter; rendered by one mapper.
 */
public class ApiException extends RuntimeException {
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
