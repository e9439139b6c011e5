package io.memorygateway.http;

/** The value of {@code X-RateLimit-Scope} for a request (contract §4). */
public enum LimitScope {
  LLM_PROXY("llm_proxy"),
  MEMORY_READ("memory_read"),
  MEMORY_WRITE("memory_write");

  private final String wireName;

  LimitScope(String wireName) {
    this.wireName = wireName;
  }

  /**
   * The scope that a request counts under.
   *
   * @param path with or without a leading slash, decoded or not
   */
  public static LimitScope of(String method, String path) {
    ApiPath known = ApiPath.of(path);
    return switch (known == null ? ApiPath.LimitClass.OTHER : known.limits()) {
      case LLM, OTHER -> LLM_PROXY;
      case MEMORY_READ -> MEMORY_READ;
      case MEMORY -> method.equals("GET") || method.equals("HEAD") ? MEMORY_READ : MEMORY_WRITE;
    };
  }

  public String wireName() {
    return wireName;
  }
}
