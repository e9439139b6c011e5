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
    String plain = plain(path);
    boolean memory =
        plain.startsWith(MEMORY)
            && (plain.length() == MEMORY.length() || plain.charAt(MEMORY.length()) == '/');
    if (!memory) {
      return LLM_PROXY;
    }
    return method.equals("GET") || method.equals("HEAD") ? MEMORY_READ : MEMORY_WRITE;
  }

  /**
   * A path without what makes no difference to the router: matrix parameters, slashes at either
   * end.
   */
  public static String plain(String path) {
    String stripped = path.indexOf(';') < 0 ? path : path.replaceAll(";[^/]*", "");
    int start = 0;
    int end = stripped.length();
    while (start < end && stripped.charAt(start) == '/') {
      start++;
    }
    while (end > start && stripped.charAt(end - 1) == '/') {
      end--;
    }
    return stripped.substring(start, end);
  }

  public String wireName() {
    return wireName;
  }
}
