package io.memorygateway.proxy;

import io.memorygateway.auth.ProviderKey;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import java.net.URI;
import java.net.URISyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * A provider that calls can be routed to.
 *
 * @param name the part before the slash in {@code provider/model}
 */
record Provider(String name, ProviderConfiguration configuration, Upstream upstream) {

  boolean serves(Endpoint endpoint) {
    return configuration.endpoints().contains(endpoint);
  }

  /**
   * Whether a call is possible: with the caller's key, with the configured one, or because none is
   * needed.
   */
  boolean isUsable(@Nullable ProviderKey callersKey) {
    return callersKey != null || configuration.apiKey() != null || !configuration.needsKey();
  }

  /**
   * The URI of an endpoint of this provider.
   *
   * @param query of the client's request, raw
   * @throws ApiException 400 if the query cannot be part of a URI
   */
  URI uri(Endpoint endpoint, @Nullable String query) {
    String uri = configuration.baseUrl() + configuration.pathPrefix() + endpoint.path();
    try {
      return new URI(query == null ? uri : uri + "?" + query);
    } catch (URISyntaxException e) {
      throw new ApiException(ApiError.invalidRequest("The query of the request is malformed."));
    }
  }

  /** The header that carries the key upstream; null if there is no key. */
  @Nullable KeyHeader keyHeader(@Nullable ProviderKey callersKey) {
    String secret = callersKey == null ? configuration.apiKey() : callersKey.secret();
    if (secret == null) {
      return null;
    }
    String prefix = configuration.bearerKeyPrefix();
    boolean bearer =
        configuration.keyHeader().equals("authorization")
            || (callersKey != null
                && callersKey.bearer()
                && prefix != null
                && secret.startsWith(prefix));
    return bearer
        ? new KeyHeader("authorization", "Bearer " + secret, secret)
        : new KeyHeader(configuration.keyHeader(), secret, secret);
  }

  /**
   * A header with the key.
   *
   * @param secret the part of the value that must never be shown
   */
  record KeyHeader(String name, String value, String secret) {
    /** Omits the secret. */
    @Override
    public String toString() {
      return name + ": ***";
    }
  }
}
