package io.memorygateway.http;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The paths of the public API, and what depends on the path alone. */
public enum ApiPath {
  CHAT(ApiPath.CHAT_PATH, LimitClass.LLM),
  RESPONSES(ApiPath.RESPONSES_PATH, LimitClass.LLM),
  MESSAGES(ApiPath.MESSAGES_PATH, LimitClass.LLM),
  COMPLETIONS(ApiPath.COMPLETIONS_PATH, LimitClass.OTHER),
  EMBEDDINGS(ApiPath.EMBEDDINGS_PATH, LimitClass.OTHER),
  COUNT_TOKENS(ApiPath.COUNT_TOKENS_PATH, LimitClass.OTHER),
  MODELS(ApiPath.MODELS_PATH, LimitClass.OTHER),
  SEARCH(ApiPath.SEARCH_PATH, LimitClass.MEMORY_READ),
  MEMORY(ApiPath.MEMORY_PATH, LimitClass.MEMORY);

  /** The rules that limit requests to a path (contract §4). */
  public enum LimitClass {
    /** Those for the three endpoints of models that have memory. */
    LLM,
    /** Those for reading or writing memory, by the method. */
    MEMORY,
    /** Those for reading memory, whatever the method. */
    MEMORY_READ,
    /** None but the global one. */
    OTHER
  }

  /** The prefix of all paths. */
  public static final String ROOT = "/v1";

  // For annotations; below the prefix.
  public static final String CHAT_PATH = "/chat/completions";
  public static final String RESPONSES_PATH = "/responses";
  public static final String MESSAGES_PATH = "/messages";
  public static final String COMPLETIONS_PATH = "/completions";
  public static final String EMBEDDINGS_PATH = "/embeddings";
  public static final String COUNT_TOKENS_PATH = "/messages/count_tokens";
  public static final String MODELS_PATH = "/models";
  public static final String MEMORY_PATH = "/memory";
  public static final String SEARCH_PATH = "/memory/search";

  private static final Map<String, ApiPath> BY_PLAIN_PATH =
      Arrays.stream(values())
          .collect(Collectors.toUnmodifiableMap(ApiPath::plain, Function.identity()));

  /** Those with further paths below them, whose templates have ids. */
  private static final Set<ApiPath> PREFIXES = Set.of(MODELS, MEMORY);

  private final String suffix;
  private final LimitClass limits;

  ApiPath(String suffix, LimitClass limits) {
    this.suffix = suffix;
    this.limits = limits;
  }

  /**
   * The entry that a request belongs to: that of its path or, for models and memory, of the
   * beginning of it.
   *
   * @param path with or without a leading slash, decoded or not; what makes no difference to the
   *     router makes none here
   * @return null for any other path
   */
  public static @Nullable ApiPath of(String path) {
    String plain = plain(path);
    ApiPath exact = BY_PLAIN_PATH.get(plain);
    if (exact != null) {
      return exact;
    }
    for (ApiPath prefix : PREFIXES) {
      if (prefix.isAtOrAbove(plain)) {
        return prefix;
      }
    }
    return null;
  }

  /** A path without matrix parameters and without slashes at either end. */
  static String plain(String path) {
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

  /** The path: {@code /v1/chat/completions}. */
  public String path() {
    return ROOT + suffix;
  }

  /** The path below the version: {@code /chat/completions}. */
  public String suffix() {
    return suffix;
  }

  public LimitClass limits() {
    return limits;
  }

  /** Whether a plain path is this one or below it. */
  boolean isAtOrAbove(String plain) {
    String own = plain();
    return plain.startsWith(own)
        && (plain.length() == own.length() || plain.charAt(own.length()) == '/');
  }

  private String plain() {
    return path().substring(1);
  }
}
