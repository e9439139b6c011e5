package io.memorygateway.ratelimit;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.http.api.ResponseHeader;
import io.memorygateway.ratelimit.window.Decision;
import io.memorygateway.ratelimit.window.Decision.Shown;
import java.util.function.BiConsumer;

/** Writer of the {@code X-RateLimit-*} headers of every response (contract §4). */
public final class RateLimitHeaders {
  private final RateLimiter limiter;

  public RateLimitHeaders(RateLimiter limiter) {
    this.limiter = limiter;
  }

  /**
   * Sets the headers of a response without a decision, as if nothing had been counted; also outside
   * Jersey.
   *
   * @param path as {@link RequestKind#of} takes it
   * @param headers receives names and values
   */
  public void setUntouched(String method, String path, BiConsumer<String, String> headers) {
    RequestKind kind = RequestKind.of(method, path);
    set(kind, limiter.untouched(kind), headers);
  }

  static void set(RequestKind kind, Decision decision, BiConsumer<String, String> headers) {
    headers.accept(ResponseHeader.RATE_LIMIT_SCOPE.headerName(), kind.scope());
    Shown shown = decision.shown();
    if (shown != null) {
      headers.accept(ResponseHeader.RATE_LIMIT.headerName(), Long.toString(shown.limit()));
      headers.accept(
          ResponseHeader.RATE_LIMIT_REMAINING.headerName(), Long.toString(shown.remaining()));
      headers.accept(
          ResponseHeader.RATE_LIMIT_RESET.headerName(), Long.toString(shown.resetEpochSecond()));
    }
  }
}
