package io.memorygateway.ratelimit.window;

import io.memorygateway.http.ApiPath;
import io.memorygateway.http.LimitScope;

/**
 * Kind of a request, by which rules apply to it ({@link AppliesTo}). A kind has a column of its own
 * in {@code rate_limit_windows} and is known from method and path ({@link ApiPath}).
 */
public enum RequestKind {
  /** One of the three LLM paths. */
  LLM(LimitScope.LLM_PROXY, "granted_llm"),
  /** GET or HEAD under {@code /v1/memory}. */
  MEMORY_READ(LimitScope.MEMORY_READ, "granted_read"),
  /** Any other method under {@code /v1/memory}. */
  MEMORY_WRITE(LimitScope.MEMORY_WRITE, "granted_write"),
  /** Everything else, unknown paths too. */
  OTHER(LimitScope.LLM_PROXY, "granted_other");

  private final LimitScope scope;
  private final String column;

  RequestKind(LimitScope scope, String column) {
    this.scope = scope;
    this.column = column;
  }

  /** Value of {@code X-RateLimit-Scope} (contract §4). */
  public LimitScope scope() {
    return scope;
  }

  /** Index in arrays by kind. */
  @SuppressWarnings("EnumOrdinal") // of arrays in memory only
  int index() {
    return ordinal();
  }

  /** Column of {@code rate_limit_windows} with the permits of a batch. */
  String column() {
    return column;
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
          case MEMORY_READ -> MEMORY_READ;
          case MEMORY ->
              LimitScope.of(method, path) == LimitScope.MEMORY_READ ? MEMORY_READ : MEMORY_WRITE;
          case OTHER -> OTHER;
        };
  }
}
