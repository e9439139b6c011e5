package io.memorygateway.http.api;

import io.memorygateway.http.errors.ApiError;
import java.util.Arrays;

/** Error for paths that clients with a wrong base URL request (contract §3). */
final class BaseUrlHint {
  static final ApiError ERROR =
      ApiError.notFound(
          "There is nothing at this path, but its end is known: the base URL of OpenAI clients ends"
              + " in /v1, that of Anthropic clients is the address alone, without /v1; memory is at"
              + " /v1/memory.");

  private BaseUrlHint() {}

  /**
   * Whether an unknown path looks like that of an endpoint with another prefix.
   *
   * @param path with or without a leading slash
   */
  static boolean fits(String path) {
    String plain = "/" + ApiPath.plain(path);
    return ApiPath.of(plain) == null
        && Arrays.stream(ApiPath.values()).anyMatch(known -> known.isEndOf(plain));
  }
}
