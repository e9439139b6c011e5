package io.memorygateway.ratelimit;

import io.memorygateway.ratelimit.window.Decision;
import io.memorygateway.ratelimit.window.Decision.Shown;
import io.memorygateway.ratelimit.window.RequestKind;
import java.util.function.BiConsumer;

/** The {@code X-RateLimit-*} headers of every response (contract §4). */
public final class RateLimitHeaders {
  static final String LIMIT = "X-RateLimit-Limit";
  static final String REMAINING = "X-RateLimit-Remaining";
  static final String RESET = "X-RateLimit-Reset";
  static final String SCOPE = "X-RateLimit-Scope";

  private final RateLimiter limiter;

  public RateLimitHeaders(RateLimiter limiter) {
    this.limiter = limiter;
  }

  /**
   * Sets the headers of a response that never got as far as a decision, also outside Jersey.
   *
   * @param path as {@link RequestKind#of} takes it
   * @param headers takes names and values
   */
  public void setUntouched(String method, String path, BiConsumer<String, String> headers) {
    RequestKind kind = RequestKind.of(method, path);
    set(kind, limiter.untouched(kind), headers);
  }

  static void set(RequestKind kind, Decision decision, BiConsumer<String, String> headers) {
    headers.accept(SCOPE, kind.scope().wireName());
    Shown shown = decision.shown();
    if (shown != null) {
      headers.accept(LIMIT, Long.toString(shown.limit()));
      headers.accept(REMAINING, Long.toString(shown.remaining()));
      headers.accept(RESET, Long.toString(shown.resetEpochSecond()));
    }
  }
}
