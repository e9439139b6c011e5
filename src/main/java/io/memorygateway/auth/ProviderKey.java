package io.memorygateway.auth;

import io.memorygateway.http.errors.ApiException;
import jakarta.ws.rs.core.HttpHeaders;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Caller's own key of a provider, used upstream in place of the configured one (contract §2).
 *
 * @param secret without a scheme
 * @param bearer whether it was sent as {@code Authorization: Bearer}
 */
public record ProviderKey(String secret, boolean bearer) {
  /** Request property that holds it, if the request has one. */
  public static final String PROPERTY = ProviderKey.class.getName();

  static final String GOOGLE_HEADER = "x-goog-api-key";

  /** Headers that carry a key without a scheme. */
  static final List<String> PLAIN_HEADERS =
      List.of(PresentedKey.API_KEY_HEADER, GOOGLE_HEADER, PresentedKey.AZURE_HEADER);

  /** Value of the header that one SDK sends when its caller has no provider key. */
  private static final String PLACEHOLDER = "oauth-gateway-placeholder";

  static @Nullable ProviderKey of(Function<String, @Nullable String> headers) {
    String token = providerKey(PresentedKey.bearerToken(headers.apply(HttpHeaders.AUTHORIZATION)));
    if (token != null) {
      return new ProviderKey(token, true);
    }
    for (String name : PLAIN_HEADERS) {
      String key = providerKey(headers.apply(name));
      if (key != null) {
        return new ProviderKey(key, false);
      }
    }
    return null;
  }

  /**
   * Returns the key in a header.
   *
   * @return without a scheme; null if there is none, or a gateway key instead, which some clients
   *     send in every header that they know
   * @throws ApiException 400 if the value contains a gateway key among other text
   */
  private static @Nullable String providerKey(@Nullable String header) {
    String token = header == null ? "" : header.strip();
    for (String rest = token; rest != null; rest = PresentedKey.bearerToken(rest)) {
      token = rest;
    }
    if (token.isEmpty()
        || token.equals(PLACEHOLDER)
        || token.startsWith(IssuedSecret.API_KEY.prefix())) {
      return null;
    }
    if (IssuedSecret.API_KEY.isIn(token)) {
      throw ApiException.invalidRequest(
          "A header for the provider's own key holds a gateway key as well; send the gateway"
              + " key in X-Memory-Gateway-Authorization alone.");
    }
    return token;
  }

  /** Omits the secret. */
  @Override
  public String toString() {
    return "ProviderKey[***]";
  }
}
