package io.memorygateway.http.errors;

/** The {@code type} of an error body (contract §3). */
public enum ErrorType {
  INVALID_REQUEST("invalid_request_error"),
  AUTHENTICATION("authentication_error"),
  BILLING("billing_error"),
  PERMISSION("permission_error"),
  NOT_FOUND("not_found"),
  CONFLICT("conflict_error"),
  RATE_LIMIT("rate_limit_error"),
  API("api_error"),
  UPSTREAM("upstream_error"),
  UPSTREAM_TIMEOUT("upstream_timeout"),
  SERVICE_UNAVAILABLE("service_unavailable");

  private final String wireName;

  ErrorType(String wireName) {
    this.wireName = wireName;
  }

  public String wireName() {
    return wireName;
  }
}
