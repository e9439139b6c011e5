package io.memorygateway.http.api;

import static java.util.stream.Collectors.joining;

import com.google.common.base.CharMatcher;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Arrays;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Headers by which browsers let pages of other origins read responses (CORS). Credentials of the
 * browser's own, such as cookies, are never allowed: keys are sent by the page itself.
 */
public final class CrossOrigin {
  /** The star is for the upstream's own headers, whose names are many. */
  private static final String EXPOSED =
      Stream.concat(
              Arrays.stream(ResponseHeader.values()).map(ResponseHeader::headerName),
              Stream.of("x-upstream-request-id", "*"))
          .collect(joining(", "));

  private static final CharMatcher TOKENS =
      CharMatcher.anyOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_., ");

  private static final String METHODS = "GET, HEAD, POST, PATCH, DELETE";

  /** Two hours; browsers cache it for no longer. */
  private static final String MAX_AGE = "7200";

  private final Set<String> allowed;

  public CrossOrigin(CrossOriginConfiguration configuration) {
    allowed = Set.copyOf(configuration.allowedOrigins());
  }

  /**
   * Filter that answers preflight requests of browsers, which carry no key, and lets pages of the
   * allowed origins read all other responses.
   */
  public Filter filter(CommonHeaders commonHeaders) {
    return (request, response, chain) -> {
      HttpServletRequest asked = (HttpServletRequest) request;
      HttpServletResponse answer = (HttpServletResponse) response;
      String origin = asked.getHeader("Origin");
      set(origin, answer::addHeader);
      boolean preflight =
          asked.getMethod().equals("OPTIONS")
              && asked.getHeader("Access-Control-Request-Method") != null
              && allows(origin);
      if (!preflight) {
        chain.doFilter(request, response);
        return;
      }
      commonHeaders.set(asked.getMethod(), asked.getRequestURI(), answer::setHeader);
      setPreflight(asked.getHeader("Access-Control-Request-Headers"), answer::setHeader);
      answer.addHeader("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers");
      answer.setStatus(HttpServletResponse.SC_NO_CONTENT);
    };
  }

  private boolean isOn() {
    return !allowed.isEmpty();
  }

  private boolean allows(@Nullable String origin) {
    return origin != null && (allowed.contains("*") || allowed.contains(origin));
  }

  /**
   * Sets the headers that every response to a page carries, errors too.
   *
   * @param origin of the request; null if it has none
   * @param headers takes names and values
   */
  void set(@Nullable String origin, BiConsumer<String, String> headers) {
    if (!isOn()) {
      return;
    }
    if (!allowed.contains("*")) {
      headers.accept("Vary", "Origin");
    }
    if (origin != null && allows(origin)) {
      headers.accept("Access-Control-Allow-Origin", allowed.contains("*") ? "*" : origin);
      headers.accept("Access-Control-Expose-Headers", EXPOSED);
    }
  }

  /**
   * Sets the headers of the response to a preflight request.
   *
   * @param requestedHeaders those that the page wants to send
   */
  private static void setPreflight(
      @Nullable String requestedHeaders, BiConsumer<String, String> headers) {
    headers.accept("Access-Control-Allow-Methods", METHODS);
    if (requestedHeaders != null && TOKENS.matchesAllOf(requestedHeaders)) {
      headers.accept("Access-Control-Allow-Headers", requestedHeaders);
    }
    headers.accept("Access-Control-Max-Age", MAX_AGE);
  }
}
