package io.memorygateway.auth;

import io.memorygateway.http.ApiError;
import io.memorygateway.http.ErrorType;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MultivaluedMap;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Errors 401 for every kind of request without a valid key (contract §2). Nothing of the request is
 * repeated.
 */
final class Refusals {
  /** Claude Code repeats a 401 in silence for minutes unless it is told not to. */
  private static final String SHOULD_RETRY = "x-should-retry";

  private static final String HOW = "as 'Authorization: Bearer msk_...' or 'x-api-key: msk_...'";

  private static final ApiError INVALID = unauthenticated("The API key is not valid.");
  private static final ApiError MISSING =
      unauthenticated("An API key is required: send it " + HOW + ".");
  private static final ApiError PROVIDER_KEY =
      unauthenticated(
          "The request has a provider's key (sk-...), which is none of this gateway; send a gateway"
              + " key "
              + HOW
              + ". To have your own provider key used as well, send the gateway key as"
              + " 'X-Memory-Gateway-Authorization: Bearer msk_...' beside it.");
  private static final ApiError OTHER_KEY =
      unauthenticated(
          "None of the request's keys is a gateway key, which begins with msk_; send one "
              + HOW
              + ".");

  private static final List<String> PROVIDER_PREFIXES = List.of("sk-", "sk_", "aiza", "gsk_");
  private static final List<String> PLAIN_KEY_HEADERS =
      List.of(PresentedKey.API_KEY_HEADER, "x-goog-api-key", "api-key");

  private Refusals() {}

  /** A key of the gateway that is malformed, unknown, revoked or expired: one answer for all. */
  static ApiError invalid() {
    return INVALID;
  }

  /** The answer to a request that has no key of the gateway. */
  static ApiError withoutGatewayKey(MultivaluedMap<String, String> headers) {
    boolean other = false;
    for (String name : List.of(HttpHeaders.AUTHORIZATION, PresentedKey.PASS_THROUGH_HEADER)) {
      String token = PresentedKey.bearerToken(headers.getFirst(name));
      if (isProviderKey(token)) {
        return PROVIDER_KEY;
      }
      other |= isOtherKey(token);
    }
    for (String name : PLAIN_KEY_HEADERS) {
      String token = headers.getFirst(name);
      if (isProviderKey(token)) {
        return PROVIDER_KEY;
      }
      other |= isOtherKey(token);
    }
    return other ? OTHER_KEY : MISSING;
  }

  private static boolean isProviderKey(@Nullable String token) {
    if (token == null) {
      return false;
    }
    String start = token.strip().toLowerCase(Locale.ROOT);
    return PROVIDER_PREFIXES.stream().anyMatch(start::startsWith);
  }

  private static boolean isOtherKey(@Nullable String token) {
    return token != null && !token.isBlank() && !ApiKeySecret.isIn(token);
  }

  private static ApiError unauthenticated(String message) {
    return ApiError.of(401, ErrorType.AUTHENTICATION, message)
        .withHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer")
        .withHeader(SHOULD_RETRY, "false");
  }
}
