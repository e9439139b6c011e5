package io.memorygateway.ratelimit.window;

import io.memorygateway.http.ApiPath;
import io.memorygateway.http.LimitScope;

/**
 * What a request is to the limiter. {@link #scope()} is its {@code X-RateLimit-Scope} (contract
 * §4).
 */
public enum RequestKind {
  /** One of the three LLM paths. */
  LLM(0, LimitScope.LLM_PROXY),
  /** GET or HEAD under {@code /v1/memory}. */
  MEMORY_READ(1, LimitScope.MEMORY_READ),
  /** Any other method under {@code /v1/memory}. */
  MEMORY_WRITE(2, LimitScope.MEMORY_WRITE),
  /** Everything else, unknown paths too. */
  OTHER(3, LimitScope.LLM_PROXY);

  private final int index;
  private final LimitScope scope;

  RequestKind(int index, LimitScope scope) {
    this.index = index;
    this.scope = scope;
  }

  public LimitScope scope() {
    return scope;
  }

  /** Its place in arrays, from 0. */
  int index() {
    return index;
  }

  /**
   * The kind of a request. Matrix parameters and slashes at the end of the path make no difference,
   * as they make none to the router.
   *
   * @param path decoded, with or without its first slash
   */
  public static RequestKind of(String method, String path) {
    ApiPath known = ApiPath.of(path);
    return known == null
        ? OTHER
        : switch (known.limits()) {
          case LLM -> LLM;
          case MEMORY ->
              LimitScope.of(method, path) == LimitScope.MEMORY_READ ? MEMORY_READ : MEMORY_WRITE;
          case OTHER -> OTHER;
        };
  }
}
