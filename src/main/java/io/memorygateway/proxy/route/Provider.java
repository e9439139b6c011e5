package io.memorygateway.proxy.route;

import static java.util.Objects.requireNonNullElse;

import io.memorygateway.auth.ProviderKey;
import io.memorygateway.format.Format;
import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.proxy.upstream.Upstream;
import io.memorygateway.secret.SecretBytes;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A provider that calls can be routed to. */
public final class Provider {
  private static final String AUTHORIZATION = "authorization";

  private final String name;
  private final ProviderConfiguration configuration;
  private final Upstream upstream;
  private final Map<Endpoint, URI> uris = new ConcurrentHashMap<>();

  /** The header with the configured key; null if there is none. */
  private final @Nullable KeyHeader configuredKey;

  /**
   * A provider with its settings.
   *
   * @param name the part before the slash in {@code provider/model}
   */
  public Provider(String name, ProviderConfiguration configuration, Upstream upstream) {
    this.name = name;
    this.configuration = configuration;
    this.upstream = upstream;
    String secret = configuration.apiKey();
    this.configuredKey =
        secret == null ? null : keyHeader(secret, configuration.keyHeader().equals(AUTHORIZATION));
  }

  public String name() {
    return name;
  }

  public ProviderConfiguration configuration() {
    return configuration;
  }

  public Upstream upstream() {
    return upstream;
  }

  /** What it takes besides what all providers take. */
  public ProviderTraits traits() {
    return configuration.traits();
  }

  /** Whether it answers calls of an endpoint itself. */
  public boolean serves(Endpoint endpoint) {
    return configuration.endpoints().contains(endpoint);
  }

  /** The endpoint that it is sent calls of another one by; null if it answers none of them. */
  public @Nullable Endpoint endpointFor(Endpoint called) {
    return serves(called)
        ? called
        : configuration.translation().endpointFor(called, configuration.endpoints());
  }

  /** The format in which it is sent calls of an endpoint. */
  public Format formatFor(Endpoint called) {
    return requireNonNullElse(endpointFor(called), called).format();
  }

  /** The query by which it is asked for all its models; empty for none. */
  public String modelsQuery() {
    return Endpoint.CONVERSATIONS.stream()
        .filter(this::serves)
        .findFirst()
        .map(endpoint -> endpoint.format().modelsQuery())
        .orElse("");
  }

  /**
   * Whether a call is possible: with the caller's key, with the configured one, or because none is
   * needed.
   */
  public boolean isUsable(@Nullable ProviderKey callersKey) {
    return callersKey != null || configuration.apiKey() != null || !configuration.needsKey();
  }

  /**
   * The URI of an endpoint of this provider.
   *
   * @param query of the client's request, raw
   * @throws ApiException 400 if the query cannot be part of a URI
   */
  public URI uri(Endpoint endpoint, @Nullable String query) {
    return with(query, uris.computeIfAbsent(endpoint, each -> uri(each.path())));
  }

  /** The same of a path below the version of the provider's API. */
  public URI uri(String path, @Nullable String query) {
    return with(query, uri(path));
  }

  private static URI with(@Nullable String query, URI uri) {
    try {
      return query == null ? uri : new URI(uri + "?" + query);
    } catch (URISyntaxException e) {
      throw ApiException.invalidRequest("The query of the request is malformed.");
    }
  }

  /** The URI of this path below the version of the provider's API. */
  public URI uri(String path) {
    return URI.create(configuration.baseUrl() + configuration.pathPrefix() + path);
  }

  /** The configured key, which it may echo and which must not be shown. */
  public SecretBytes secret() {
    return configuredKey == null ? SecretBytes.NONE : configuredKey.search();
  }

  /** The header that carries the key upstream; null if there is no key. */
  public @Nullable KeyHeader keyHeader(@Nullable ProviderKey callersKey) {
    if (callersKey == null) {
      return configuredKey;
    }
    String secret = callersKey.secret();
    String prefix = configuration.bearerKeyPrefix();
    boolean bearer =
        configuration.keyHeader().equals(AUTHORIZATION)
            || (callersKey.bearer() && prefix != null && secret.startsWith(prefix));
    return keyHeader(secret, bearer);
  }

  private KeyHeader keyHeader(String secret, boolean bearer) {
    return new KeyHeader(
        bearer ? AUTHORIZATION : configuration.keyHeader(),
        bearer ? "Bearer " + secret : secret,
        secret,
        SecretBytes.of(secret));
  }

  /**
   * A header with the key.
   *
   * @param secret the part of the value that must never be shown
   * @param search for the secret in what an upstream sends
   */
  public record KeyHeader(String name, String value, String secret, SecretBytes search) {
    /** Omits the secret. */
    @Override
    public String toString() {
      return name + ": ***";
    }
  }
}
