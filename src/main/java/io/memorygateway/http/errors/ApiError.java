package io.memorygateway.http.errors;

import static java.util.Objects.requireNonNull;

import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonWriter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An error response: its status, its body {@code
 * {"error":{"message","type"[,"scope","retry_after_seconds"]}}} and the headers that go with it.
 * Every error of the gateway is one of these (contract §3).
 *
 * @param status HTTP status, 400 to 599
 * @param type {@code error.type}
 * @param message for a person; never quotes the request
 * @param scope the rate-limit scope, with {@link ErrorType#RATE_LIMIT} only; what a budget counts,
 *     with {@link ErrorType#BILLING}
 * @param retryAfterSeconds sent as {@code Retry-After}; in the body too with {@link
 *     ErrorType#RATE_LIMIT}
 * @param headers further headers, such as {@code Allow}
 * @param errorCode {@code error.details.error_code}, by which a client's SDK knows what to do; null
 *     for none
 * @param resetsAt ISO-8601, with {@link ErrorType#BILLING} only; null: never
 */
public record ApiError(
    int status,
    ErrorType type,
    String message,
    @Nullable String scope,
    @Nullable Long retryAfterSeconds,
    Map<String, String> headers,
    @Nullable String errorCode,
    @Nullable String resetsAt) {

  public ApiError {
    requireNonNull(type, "type");
    requireNonNull(message, "message");
    headers = Map.copyOf(headers);
    if (status < 400 || status > 599) {
      throw new IllegalArgumentException("not the status of an error: " + status);
    }
  }

  public static ApiError invalidRequest(String message) {
    return of(400, ErrorType.INVALID_REQUEST, message);
  }

  public static ApiError notFound(String message) {
    return of(404, ErrorType.NOT_FOUND, message);
  }

  public static ApiError conflict(String message) {
    return of(409, ErrorType.CONFLICT, message);
  }

  /** 429 of the gateway: {@code scope} in the body distinguishes it from an upstream's. */
  public static ApiError rateLimited(String message, String scope, long retryAfterSeconds) {
    return new ApiError(
        429, ErrorType.RATE_LIMIT, message, scope, retryAfterSeconds, Map.of(), null, null);
  }

  /**
   * 402 of the gateway: a budget that does not begin anew soon leaves too little.
   *
   * @param resetsAt ISO-8601; null: never
   */
  public static ApiError spent(String message, String scope, @Nullable String resetsAt) {
    return new ApiError(
        402,
        ErrorType.BILLING,
        message,
        scope,
        null,
        Map.of("x-should-retry", "false"),
        null,
        resetsAt);
  }

  /** 503 with {@code Retry-After}. */
  public static ApiError unavailable(String message, long retryAfterSeconds) {
    return new ApiError(
        503, ErrorType.SERVICE_UNAVAILABLE, message, null, retryAfterSeconds, Map.of(), null, null);
  }

  public static ApiError of(int status, ErrorType type, String message) {
    return new ApiError(status, type, message, null, null, Map.of(), null, null);
  }

  public ApiError withHeader(String name, String value) {
    Map<String, String> all = new java.util.HashMap<>(headers);
    all.put(name, value);
    return new ApiError(status, type, message, scope, retryAfterSeconds, all, errorCode, resetsAt);
  }

  public ApiError withCode(String code) {
    return new ApiError(status, type, message, scope, retryAfterSeconds, headers, code, resetsAt);
  }

  /** The body, UTF-8. */
  public byte[] toJson() {
    JsonObject error = new JsonObject().string("message", message).string("type", type.wireName());
    if (type == ErrorType.RATE_LIMIT) {
      error.string("scope", scope);
      if (retryAfterSeconds != null) {
        error.number("retry_after_seconds", retryAfterSeconds);
      }
    }
    if (type == ErrorType.BILLING) {
      error.string("scope", scope);
      error.raw("resets_at", resetsAt == null ? "null" : JsonWriter.quote(resetsAt));
    }
    if (errorCode != null) {
      error.raw("details", new JsonObject().string("error_code", errorCode).toString());
    }
    return new JsonObject().raw("error", error.toString()).toBytes();
  }
}
