package io.memorygateway.http.api;

import com.google.common.base.CharMatcher;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Paths of the public API, and the properties that depend on the path alone. */
public enum ApiPath {
  CHAT(ApiPath.CHAT_PATH, RequestKind.LLM),
  MESSAGES(ApiPath.MESSAGES_PATH, RequestKind.LLM),
  RESPONSES(ApiPath.RESPONSES_PATH, RequestKind.LLM),
  COMPLETIONS(ApiPath.COMPLETIONS_PATH, RequestKind.OTHER),
  EMBEDDINGS(ApiPath.EMBEDDINGS_PATH, RequestKind.OTHER),
  COUNT_TOKENS(ApiPath.COUNT_TOKENS_PATH, RequestKind.OTHER),
  MODELS(ApiPath.MODELS_PATH, RequestKind.OTHER),
  LIMITS(ApiPath.LIMITS_PATH, RequestKind.OTHER),
  COMPACT(ApiPath.COMPACT_PATH, RequestKind.OTHER),
  INPUT_TOKENS(ApiPath.INPUT_TOKENS_PATH, RequestKind.OTHER),
  FILES("/files", RequestKind.OTHER),
  UPLOADS("/uploads", RequestKind.OTHER),
  BATCHES("/batches", RequestKind.OTHER),
  MESSAGE_BATCHES("/messages/batches", RequestKind.OTHER),
  AUDIO("/audio", RequestKind.OTHER),
  IMAGES("/images", RequestKind.OTHER),
  RERANK("/rerank", RequestKind.OTHER),
  MODERATIONS("/moderations", RequestKind.OTHER),
  SEARCH(ApiPath.SEARCH_PATH, RequestKind.MEMORY_READ, RequestKind.MEMORY_WRITE),
  MEMORY(ApiPath.MEMORY_PATH, RequestKind.MEMORY_READ, RequestKind.MEMORY_WRITE);

  public static final String ROOT = "/v1";

  /** Names of those that a key can be limited to. */
  public static final List<String> SCOPES =
      EnumSet.range(CHAT, COUNT_TOKENS).stream()
          .map(path -> path.name().toLowerCase(Locale.ROOT))
          .toList();

  // Below the prefix, for annotations.
  public static final String CHAT_PATH = "/chat/completions";
  public static final String RESPONSES_PATH = "/responses";
  public static final String MESSAGES_PATH = "/messages";
  public static final String COMPLETIONS_PATH = "/completions";
  public static final String EMBEDDINGS_PATH = "/embeddings";
  public static final String COUNT_TOKENS_PATH = "/messages/count_tokens";
  public static final String COMPACT_PATH = "/responses/compact";
  public static final String INPUT_TOKENS_PATH = "/responses/input_tokens";
  public static final String MODELS_PATH = "/models";
  public static final String LIMITS_PATH = "/usage/limits";
  public static final String MEMORY_PATH = "/memory";
  public static final String SEARCH_PATH = "/memory/search";

  private static final Map<String, ApiPath> BY_PLAIN_PATH =
      Arrays.stream(values())
          .collect(Collectors.toUnmodifiableMap(ApiPath::plain, Function.identity()));

  /** Entries with further paths below them. */
  private static final Set<ApiPath> PREFIXES =
      Set.of(MODELS, MEMORY, FILES, UPLOADS, BATCHES, MESSAGE_BATCHES, AUDIO, IMAGES);

  /** What stands below the memory's path; that alone is the end of many a path. */
  private static final List<String> OF_MEMORY =
      List.of(MEMORY_PATH + "/threads", MEMORY_PATH + "/resources", SEARCH_PATH);

  private final String suffix;
  private final RequestKind reading;
  private final RequestKind writing;

  ApiPath(String suffix, RequestKind kind) {
    this(suffix, kind, kind);
  }

  /**
   * @param reading kind of requests that read
   * @param writing kind of all others
   */
  ApiPath(String suffix, RequestKind reading, RequestKind writing) {
    this.suffix = suffix;
    this.reading = reading;
    this.writing = writing;
  }

  /**
   * Finds the entry of a request: the one with its path or, for models, memory and others with
   * paths below them, with the beginning of its path.
   *
   * @param path with or without a leading slash, decoded or not; differences that the router
   *     ignores are ignored here
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

  /** Returns a path without matrix parameters and without slashes at either end. */
  public static String plain(String path) {
    String bare = path;
    if (path.indexOf(';') >= 0) {
      bare =
          Arrays.stream(path.split("/", -1))
              .map(segment -> segment.split(";", -1)[0])
              .collect(Collectors.joining("/"));
    }
    return CharMatcher.is('/').trimFrom(bare);
  }

  /** The path: {@code /v1/chat/completions}. */
  public String path() {
    return ROOT + suffix;
  }

  /** The path below the version: {@code /chat/completions}. */
  public String suffix() {
    return suffix;
  }

  /** Kind of its requests with a method; a search is sent by POST, and reads. */
  public RequestKind kind(String method) {
    boolean reads =
        method.equals("GET") || method.equals("HEAD") || (this == SEARCH && method.equals("POST"));
    return reads ? reading : writing;
  }

  /** Whether a path, without a leading slash, is Anthropic's or below it. */
  static boolean isOfAnthropic(String plain) {
    return MESSAGES.isAtOrAbove(plain);
  }

  private boolean isAtOrAbove(String plain) {
    String own = plain();
    return plain.startsWith(own)
        && (plain.length() == own.length() || plain.charAt(own.length()) == '/');
  }

  /** Whether a path is not known, but looks like that of an endpoint with another prefix. */
  static boolean isOtherwiseKnown(String path) {
    String plain = "/" + plain(path);
    return of(plain) == null && Arrays.stream(values()).anyMatch(known -> known.isEndOf(plain));
  }

  /** Whether a path, with a leading slash alone, ends as this one or those below it do. */
  private boolean isEndOf(String path) {
    if (this == MEMORY) {
      return OF_MEMORY.stream().anyMatch(part -> path.endsWith(part) || path.contains(part + "/"));
    }
    return path.endsWith(suffix) || (PREFIXES.contains(this) && path.contains(suffix + "/"));
  }

  private String plain() {
    return path().substring(1);
  }
}
