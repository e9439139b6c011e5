package io.memorygateway.auth;

import jakarta.ws.rs.core.HttpHeaders;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gateway key of a request: the first of the four headers that contains one decides (contract §2).
 *
 * @param secret as presented, not yet verified
 * @param passThrough whether the request also has the caller's own provider key
 */
record PresentedKey(String secret, boolean passThrough) {
  static final String PASS_THROUGH_HEADER = "X-Memory-Gateway-Authorization";
  static final String API_KEY_HEADER = "x-api-key";
  static final String AZURE_HEADER = "api-key";

  /**
   * Returns the key of a request; null if it has none.
   *
   * @param headers returns the first value of a header
   */
  static @Nullable PresentedKey of(Function<String, @Nullable String> headers) {
    String secret = gatewayKey(bearerToken(headers.apply(PASS_THROUGH_HEADER)));
    if (secret != null) {
      return new PresentedKey(secret, true);
    }
    secret = gatewayKey(bearerToken(headers.apply(HttpHeaders.AUTHORIZATION)));
    if (secret == null) {
      secret = gatewayKey(headers.apply(API_KEY_HEADER));
    }
    if (secret == null) {
      secret = gatewayKey(headers.apply(AZURE_HEADER));
    }
    return secret == null ? null : new PresentedKey(secret, false);
  }

  /** The token of {@code Bearer TOKEN}; null if the header is absent or of another scheme. */
  static @Nullable String bearerToken(@Nullable String header) {
    if (header == null || !header.regionMatches(true, 0, "Bearer ", 0, 7)) {
      return null;
    }
    return header.substring(7).strip();
  }

  private static @Nullable String gatewayKey(@Nullable String token) {
    return token != null && token.startsWith(IssuedSecret.API_KEY.prefix()) ? token : null;
  }

  /** Omits the secret. */
  @Override
  public String toString() {
    return "PresentedKey[***]";
  }
}
