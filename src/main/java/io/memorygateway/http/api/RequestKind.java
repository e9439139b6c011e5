package io.memorygateway.http.api;

/**
 * Kind of a request, which determines the rate-limit rules that count it and the value of {@code
 * X-RateLimit-Scope} (contract §4). It follows from method and path; {@link ApiPath} has the kinds
 * of each path.
 */
public enum RequestKind {
  /** One of the three LLM paths. */
  LLM("llm_proxy", "llm"),
  /** GET or HEAD under {@code /v1/memory}, and search. */
  MEMORY_READ("memory_read", "read"),
  /** Any other method under {@code /v1/memory}. */
  MEMORY_WRITE("memory_write", "write"),
  /** Everything else, including unknown paths. */
  OTHER("llm_proxy", "other");

  private final String scope;
  private final String counter;

  /**
   * @param scope at most 16 characters; several kinds may have the same
   * @param counter different for each kind; never to be changed
   */
  RequestKind(String scope, String counter) {
    this.scope = scope;
    this.counter = counter;
  }

  /**
   * The kind of a request. Matrix parameters and trailing slashes of the path are ignored, as the
   * router ignores them.
   *
   * @param path decoded or not, with or without its leading slash
   */
  public static RequestKind of(String method, String path) {
    ApiPath known = ApiPath.of(path);
    return known == null ? OTHER : known.kind(method);
  }

  /** Value of {@code X-RateLimit-Scope}. */
  public String scope() {
    return scope;
  }

  /** The kind in the name of its column of {@code rate_limit_windows}. */
  public String counter() {
    return counter;
  }

  /** Index in arrays by kind. */
  @SuppressWarnings("EnumOrdinal") // of arrays in memory only
  public int index() {
    return ordinal();
  }
}
