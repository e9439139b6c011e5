package io.memorygateway.auth;

import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ErrorType;
import jakarta.ws.rs.core.HttpHeaders;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Errors 401 for requests without a valid key (contract §2). They repeat nothing of the request.
 */
final class Refusals {
  /** Header that stops Claude Code from retrying a 401 silently for minutes. */
  private static final String SHOULD_RETRY = "x-should-retry";

  private static final String HOW =
      "as 'Authorization: Bearer msk_...', 'x-api-key: msk_...' or 'api-key: msk_...'";

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
  private static final ApiError OF_GOOGLE =
      unauthenticated(
          "The gateway key stands in x-goog-api-key, where none is looked for; send it "
              + HOW
              + ".");
  private static final ApiError OTHER_KEY =
      unauthenticated(
          "None of the request's keys is a gateway key, which begins with msk_; send one "
              + HOW
              + ".");

  private static final List<String> PROVIDER_PREFIXES = List.of("sk-", "sk_", "aiza", "gsk_");

  private Refusals() {}

  /**
   * Error for a gateway key that is malformed, unknown, revoked or expired; the same for all of
   * them.
   */
  static ApiError invalid() {
    return INVALID;
  }

  /** Error for a request that has no key of the gateway. */
  static ApiError withoutGatewayKey(Function<String, @Nullable String> headers) {
    boolean other = false;
    for (String name : List.of(HttpHeaders.AUTHORIZATION, PresentedKey.PASS_THROUGH_HEADER)) {
      String token = PresentedKey.bearerToken(headers.apply(name));
      if (isProviderKey(token)) {
        return PROVIDER_KEY;
      }
      other |= isOtherKey(token);
    }
    for (String name : ProviderKey.PLAIN_HEADERS) {
      String token = headers.apply(name);
      if (isProviderKey(token)) {
        return PROVIDER_KEY;
      }
      other |= isOtherKey(token);
    }
    String google = headers.apply(ProviderKey.GOOGLE_HEADER);
    if (google != null && IssuedSecret.API_KEY.isIn(google)) {
      return OF_GOOGLE;
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
    return token != null && !token.isBlank() && !IssuedSecret.API_KEY.isIn(token);
  }

  private static ApiError unauthenticated(String message) {
    return ApiError.of(401, ErrorType.AUTHENTICATION, message)
        .withHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer")
        .withHeader(SHOULD_RETRY, "false");
  }
}
