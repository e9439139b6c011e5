package io.memorygateway.http;

/** What {@code X-RateLimit-Scope} says of a request (contract §4). */
public enum LimitScope {
  LLM_PROXY("llm_proxy"),
  MEMORY_READ("memory_read"),
  MEMORY_WRITE("memory_write");

  private static final String MEMORY = "v1/memory";

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
    int start = path.startsWith("/") ? 1 : 0;
    boolean memory =
        path.startsWith(MEMORY, start)
            && (path.length() == start + MEMORY.length()
                || path.charAt(start + MEMORY.length()) == '/');
    if (!memory) {
      return LLM_PROXY;
    }
    return method.equals("GET") || method.equals("HEAD") ? MEMORY_READ : MEMORY_WRITE;
  }

  public String wireName() {
    return wireName;
  }
}
