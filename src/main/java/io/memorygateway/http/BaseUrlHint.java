package io.memorygateway.http;

import java.util.List;
import java.util.Set;

/** What to say at paths that clients ask for whose base URL is wrong (contract §3). */
final class BaseUrlHint {
  static final ApiError ERROR =
      ApiError.notFound(
          "There is nothing at this path, but its end is known: the base URL of OpenAI clients ends"
              + " in /v1, that of Anthropic clients is the address alone, without /v1.");

  private static final List<String> ENDPOINTS =
      List.of(
          "chat/completions",
          "completions",
          "responses",
          "messages",
          "messages/count_tokens",
          "embeddings",
          "models");

  private static final Set<String> FIRST =
      Set.of("chat", "completions", "responses", "messages", "embeddings", "models", "memory");

  private BaseUrlHint() {}

  /**
   * Whether a path where nothing is looks like an endpoint's with too much or too little before it.
   *
   * @param path with or without a leading slash
   */
  static boolean fits(String path) {
    String plain = LimitScope.plain(path);
    int slash = plain.indexOf('/');
    String first = slash < 0 ? plain : plain.substring(0, slash);
    return FIRST.contains(first)
        || plain.startsWith("v1/v1/")
        || (!plain.startsWith("v1/memory/")
            && ENDPOINTS.stream().anyMatch(endpoint -> plain.endsWith("/" + endpoint)));
  }
}
