package io.memorygateway.http.api;

import com.google.common.base.CharMatcher;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** The id under which one request is found in responses and logs (contract §3). */
public final class RequestId {
  public static final String HEADER = "X-Request-Id";

  /** Request attribute, and MDC key, that holds the id as a string. */
  public static final String ATTRIBUTE = "request_id";

  public static final int MAX_LENGTH = 128;

  private static final CharMatcher ACCEPTED =
      CharMatcher.inRange('A', 'Z')
          .or(CharMatcher.inRange('a', 'z'))
          .or(CharMatcher.inRange('0', '9'))
          .or(CharMatcher.anyOf("._:-"));

  /** What keys of known providers begin with, in lower case. */
  private static final List<String> KEYS = List.of("sk-", "sk_", "gsk_", "xai-", "aiza");

  private RequestId() {}

  /**
   * Returns the caller's id if it is 1 to 128 of {@code A-Za-z0-9._:-} and does not look like a
   * key; else a new one.
   */
  public static String of(@Nullable String fromCaller) {
    return fromCaller != null
            && !fromCaller.isEmpty()
            && fromCaller.length() <= MAX_LENGTH
            && ACCEPTED.matchesAllOf(fromCaller)
            && !mayBeKey(fromCaller)
        ? fromCaller
        : create();
  }

  /**
   * Filter that gives every request of a servlet an id, sets the headers of every response, and
   * adds the id to every log line about the request.
   */
  public static Filter filter() {
    return (request, response, chain) -> {
      String id = of(((HttpServletRequest) request).getHeader(HEADER));
      request.setAttribute(ATTRIBUTE, id);
      request.setAttribute(
          RequestNotes.ATTRIBUTE,
          new RequestNotes(
              Request.unWrap(ServletContextRequest.getServletContextRequest(request))));
      setHeaders(id, ((HttpServletResponse) response)::setHeader);
      MDC.put(ATTRIBUTE, id);
      try {
        chain.doFilter(request, response);
      } finally {
        MDC.remove(ATTRIBUTE);
      }
    };
  }

  /**
   * Sets the headers of every response on either port, whoever gives it: a resource, a filter, or
   * Jetty for a request that it refuses.
   *
   * @param headers takes names and values
   */
  static void setHeaders(String id, BiConsumer<String, String> headers) {
    headers.accept(ResponseHeader.REQUEST_ID.headerName(), id);
    headers.accept(ResponseHeader.ANTHROPIC_REQUEST_ID.headerName(), id);
  }

  private static boolean mayBeKey(String id) {
    String lower = id.toLowerCase(Locale.ROOT);
    return lower.contains("msk_")
        || lower.contains("msa_")
        || KEYS.stream().anyMatch(lower::startsWith);
  }

  /**
   * Creates an id that sorts by time, so that it is added at the end of the request log's index and
   * not anywhere in it; no secret, so the fast generator suffices.
   */
  private static String create() {
    return Uuids.version7(Clock.systemUTC(), ThreadLocalRandom.current()).toString();
  }
}
