package io.memorygateway.proxy.route;

import io.memorygateway.auth.IssuedSecret;
import io.memorygateway.format.Format;
import io.memorygateway.json.KeyText;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/**
 * Allow-lists of the headers that the gateway passes on in either direction (contract §6), and the
 * headers of its own calls. A header that is not listed is dropped.
 */
public final class ForwardedHeaders {
  private static final Set<String> REQUEST =
      Set.of("anthropic-version", "anthropic-beta", "chatgpt-account-id", "user-agent", "accept");
  private static final Set<String> REQUEST_PREFIXES = Set.of("openai-", "x-stainless-");

  /** Who is billed; with the configured key, that is the operator's to say. */
  private static final Set<String> WITH_CALLERS_KEY_ALONE =
      Set.of("openai-organization", "openai-project");

  /** The upstream's own advice on whether and when to try again, which the SDKs follow. */
  private static final Set<String> RESPONSE =
      Set.of("retry-after", "retry-after-ms", "x-should-retry");

  private ForwardedHeaders() {}

  /**
   * The headers of a client's request that are sent upstream, with the provider's key.
   *
   * @param key null if the provider needs none
   * @param callersKey whether it is the caller's own
   */
  public static HttpFields toUpstream(
      HttpFields fromClient, Provider.@Nullable KeyHeader key, boolean callersKey) {
    HttpFields.Mutable headers = HttpFields.build();
    Set<String> hopByHop = namedByConnection(fromClient);
    for (HttpField field : fromClient) {
      String name = field.getLowerCaseName();
      boolean crosses =
          (REQUEST.contains(name) || REQUEST_PREFIXES.stream().anyMatch(name::startsWith))
              && !hopByHop.contains(name)
              && (callersKey || !WITH_CALLERS_KEY_ALONE.contains(name));
      if (crosses && !holdsGatewayKey(name) && !holdsGatewayKey(field.getValue())) {
        headers.add(field);
      }
    }
    if (!headers.contains(HttpHeader.ACCEPT)) {
      headers.put(HttpHeader.ACCEPT, "*/*");
    }
    return completed(headers, key);
  }

  /** The headers of a call that was translated: of the client's only its own name. */
  public static HttpFields ofTranslated(
      HttpFields fromClient, Format format, Provider.@Nullable KeyHeader key) {
    HttpFields.Mutable headers = HttpFields.build().put(HttpHeader.ACCEPT, "*/*");
    String agent = fromClient.get(HttpHeader.USER_AGENT);
    if (agent != null && !holdsGatewayKey(agent)) {
      headers.put(HttpHeader.USER_AGENT, agent);
    }
    format.requiredHeaders().forEach(headers::put);
    return completed(headers, key);
  }

  /**
   * The headers of the gateway's own questions about models, whatever format they are called in.
   */
  public static HttpFields ofGateway(Provider.@Nullable KeyHeader key) {
    return ofGateway(Endpoint.CONVERSATIONS.stream().map(Endpoint::format), key);
  }

  /** The headers of the gateway's own calls. */
  public static HttpFields ofGateway(Format format, Provider.@Nullable KeyHeader key) {
    return ofGateway(Stream.of(format), key);
  }

  private static HttpFields ofGateway(Stream<Format> formats, Provider.@Nullable KeyHeader key) {
    HttpFields.Mutable headers =
        HttpFields.build()
            .put(HttpHeader.ACCEPT, "application/json")
            .put(HttpHeader.USER_AGENT, "memory-gateway");
    formats.forEach(format -> format.requiredHeaders().forEach(headers::put));
    return completed(headers, key);
  }

  private static HttpFields completed(
      HttpFields.Mutable headers, Provider.@Nullable KeyHeader key) {
    // Without the header any coding is allowed, but the gateway has to read the answer.
    headers.put(HttpHeader.ACCEPT_ENCODING, "identity");
    return key == null ? headers : headers.put(key.name(), key.value());
  }

  /** The query of a client's request; null if it contains a gateway key, in any encoding. */
  public static @Nullable String toUpstream(@Nullable String query) {
    return query == null || query.isEmpty() || holdsGatewayKey(decoded(query)) ? null : query;
  }

  private static String decoded(String query) {
    try {
      return URLDecoder.decode(query, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return query;
    }
  }

  /**
   * The name under which an upstream's header is sent to the client.
   *
   * @return null if it is dropped
   */
  public static @Nullable String toClient(String upstreamName) {
    String name = upstreamName.toLowerCase(Locale.ROOT);
    if (RESPONSE.contains(name)) {
      return name;
    }
    if (name.contains("ratelimit") || name.endsWith("request-id")) {
      return "x-upstream-" + (name.startsWith("x-") ? name.substring(2) : name);
    }
    return null;
  }

  /** The headers, in lower case, that {@code Connection} names as hop-by-hop. */
  public static Set<String> namedByConnection(HttpFields headers) {
    if (!headers.contains(HttpHeader.CONNECTION)) {
      return Set.of();
    }
    return headers.getCSV(HttpHeader.CONNECTION, false).stream()
        .map(name -> name.toLowerCase(Locale.ROOT))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static boolean holdsGatewayKey(@Nullable String value) {
    return value != null && KeyText.isIn(value, IssuedSecret.API_KEY.prefix(), 1);
  }
}
