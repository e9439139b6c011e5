package io.memorygateway.http.errors;

/** Errors for bare HTTP statuses, where nothing more is known (contract §3). */
public final class ErrorCatalogue {
  private ErrorCatalogue() {}

  /**
   * Returns the error for a status.
   *
   * @param status any HTTP status; one below 400 or above 599 counts as 500
   */
  public static ApiError forStatus(int status) {
    return switch (status) {
      case 400 -> invalid(status, "The request is malformed.");
      case 401 ->
          ApiError.of(
                  status, ErrorType.AUTHENTICATION, "A valid API key is required for this request.")
              .withHeader("x-should-retry", "false");
      case 403 -> invalid(status, "The request is not allowed.");
      case 404 -> ApiError.notFound("There is nothing at this path.");
      case 405 -> invalid(status, "The method is not allowed at this path.");
      case 406 -> invalid(status, "No representation of the answer is acceptable to the client.");
      case 408 -> invalid(status, "The request did not arrive in time.");
      case 409 -> ApiError.conflict("The request conflicts with what is stored.");
      case 411 -> invalid(status, "The request needs a Content-Length.");
      case 413 -> invalid(status, "The request body is too large.");
      case 414 -> invalid(status, "The request URI is too long.");
      case 415 -> invalid(status, "The request body must be of type application/json.");
      case 417 -> invalid(status, "The expectation of the request cannot be met.");
      case 429 -> ApiError.of(status, ErrorType.RATE_LIMIT, "Too many requests.");
      case 431 -> invalid(status, "The request headers are too large.");
      case 501 -> invalid(status, "The request uses a feature that is not supported.");
      case 502 -> ApiError.of(status, ErrorType.UPSTREAM, "The upstream could not be used.");
      case 503 -> ApiError.unavailable("The service is not available at the moment.", 1);
      case 504 ->
          ApiError.of(status, ErrorType.UPSTREAM_TIMEOUT, "The upstream did not answer in time.");
      case 505 -> invalid(status, "The HTTP version is not supported.");
      default ->
          status >= 400 && status < 500
              ? invalid(status, "The request cannot be served.")
              : ApiError.of(
                  status >= 500 && status < 600 ? status : 500,
                  ErrorType.API,
                  "The gateway failed to serve the request.");
    };
  }

  private static ApiError invalid(int status, String message) {
    return ApiError.of(status, ErrorType.INVALID_REQUEST, message);
  }
}
