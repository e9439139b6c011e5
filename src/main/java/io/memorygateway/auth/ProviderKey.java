package io.memorygateway.auth;

import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MultivaluedMap;
import org.jspecify.annotations.Nullable;

/**
 * A provider's key that the caller brought along, to be used upstream in place of the configured
 * one (contract §2).
 *
 * @param secret without a scheme
 * @param bearer whether it came as {@code Authorization: Bearer}
 */
public record ProviderKey(String secret, boolean bearer) {
  /** Request property that holds it, if there is one. */
  public static final String PROPERTY = ProviderKey.class.getName();

  /** What one SDK leaves in the header when its caller has no provider key. */
  private static final String PLACEHOLDER = "oauth-gateway-placeholder";

  static @Nullable ProviderKey of(MultivaluedMap<String, String> headers) {
    String token =
        providerKey(PresentedKey.bearerToken(headers.getFirst(HttpHeaders.AUTHORIZATION)));
    if (token != null) {
      return new ProviderKey(token, true);
    }
    String key = providerKey(headers.getFirst(PresentedKey.API_KEY_HEADER));
    if (key == null) {
      key = providerKey(headers.getFirst("x-goog-api-key"));
    }
    return key == null ? null : new ProviderKey(key, false);
  }

  private static @Nullable String providerKey(@Nullable String token) {
    return token == null
            || token.isBlank()
            || token.equals(PLACEHOLDER)
            || token.startsWith(ApiKeySecret.MARK)
        ? null
        : token;
  }

  /** Never the secret. */
  @Override
  public String toString() {
    return "ProviderKey[***]";
  }
}
