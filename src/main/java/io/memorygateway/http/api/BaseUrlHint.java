package io.memorygateway.http.api;

import io.memorygateway.http.errors.ApiError;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/** Error for paths that clients with a wrong base URL request (contract §3). */
final class BaseUrlHint {
  static final ApiError ERROR =
      ApiError.notFound(
          "There is nothing at this path, but its end is known: the base URL of OpenAI clients ends"
              + " in /v1, that of Anthropic clients is the address alone, without /v1.");

  /** First segments of the paths, below the version. */
  private static final Set<String> FIRST =
      Arrays.stream(ApiPath.values())
          .map(path -> path.suffix().split("/", 3)[1])
          .collect(Collectors.toUnmodifiableSet());

  private BaseUrlHint() {}

  /**
   * Whether an unknown path looks like that of an endpoint with a missing or a superfluous prefix.
   *
   * @param path with or without a leading slash
   */
  static boolean fits(String path) {
    String plain = ApiPath.plain(path);
    int slash = plain.indexOf('/');
    String first = slash < 0 ? plain : plain.substring(0, slash);
    return FIRST.contains(first)
        || plain.startsWith("v1/v1/")
        || (!ApiPath.MEMORY.isAtOrAbove(plain) && endsLikeAnEndpoint(plain));
  }

  private static boolean endsLikeAnEndpoint(String plain) {
    return Arrays.stream(ApiPath.values())
        .anyMatch(path -> path != ApiPath.MEMORY && plain.endsWith(path.suffix()));
  }
}
