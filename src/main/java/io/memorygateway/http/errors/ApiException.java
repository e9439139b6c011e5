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

  public ApiError error() {
    return error;
  }
}
