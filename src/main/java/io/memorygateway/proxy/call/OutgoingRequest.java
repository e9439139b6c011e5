package io.memorygateway.proxy.call;

import static java.util.Objects.requireNonNull;

import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.proxy.route.ForwardedHeaders;
import io.memorygateway.proxy.route.Provider;
import io.memorygateway.secret.SecretBytes;
import java.net.URI;
import java.util.List;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/**
 * The request of an attempt, without its body.
 *
 * @param key header with the key, which {@code headers} contains too; null if there is none
 */
record OutgoingRequest(URI uri, HttpFields headers, Provider.@Nullable KeyHeader key) {

  /**
   * Creates the request of a call to one of its targets.
   *
   * @throws io.memorygateway.http.errors.ApiException 400 if the query of the call cannot be passed
   *     on
   */
  static OutgoingRequest of(ProxyCall call, Provider provider) {
    Provider.KeyHeader key = provider.keyHeader(call.callersKey());
    Endpoint endpoint = requireNonNull(provider.endpointFor(call.endpoint()));
    if (endpoint != call.endpoint()) {
      // What the query and the headers say is meant for the called format.
      return new OutgoingRequest(
          provider.uri(endpoint, null),
          ForwardedHeaders.ofTranslated(call.headers(), endpoint.format(), key),
          key);
    }
    return new OutgoingRequest(
        provider.uri(endpoint, ForwardedHeaders.toUpstream(call.request().getQueryString())),
        ForwardedHeaders.toUpstream(call.headers(), key, call.callersKey() != null),
        key);
  }

  /** The key, which an upstream may echo and which must not reach the client. */
  SecretBytes secret() {
    return key == null ? SecretBytes.NONE : key.search();
  }

  List<String> secrets() {
    return key == null ? List.of() : List.of(key.secret());
  }
}
