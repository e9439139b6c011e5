package io.memorygateway.http.api;

import io.memorygateway.http.errors.ApiError;
import java.util.Arrays;

/** Error for paths that clients with a wrong base URL request (contract §3). */
final class BaseUrlHint {
  static final ApiError ERROR =
      ApiError.notFound(
          "There is nothing at this path, but its end is known: the base URL of OpenAI clients ends"
              + " in /v1, that of Anthropic clients is the address alone, without /v1.");

  private BaseUrlHint() {}

  /**
   * Whether an unknown path looks like that of an endpoint with a superfluous prefix.
   *
   * @param path with or without a leading slash
   */
  static boolean fits(String path) {
    String plain = ApiPath.plain(path);
    return !ApiPath.MEMORY.isAtOrAbove(plain)
        && Arrays.stream(ApiPath.values())
            .anyMatch(known -> known != ApiPath.MEMORY && plain.endsWith(known.suffix()));
  }
}
