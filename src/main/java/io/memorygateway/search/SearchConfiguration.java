package io.memorygateway.search;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.dropwizard.util.DataSize;
import io.dropwizard.util.Duration;
import io.memorygateway.embedding.EmbeddedInput;
import io.memorygateway.embedding.EmbeddingModule;
import org.jspecify.annotations.Nullable;

/**
 * {@code search:} in config.yml.
 *
 * @param cache heap for the terms and vectors of threads that were searched; one search holds at
 *     most half of it. Default an eighth of the heap, 256 MiB at most
 * @param embeddingModel {@code provider/model} that embeds messages; null to search by words alone
 * @param embeddingQueryPrefix written before what is searched for; empty for nothing
 * @param embeddingPassagePrefix written before a message; empty for nothing
 * @param embeddingInputType {@code query/passage}: what the model calls these two in {@code
 *     input_type}; null if it is not told
 * @param embeddingTimeout how long a search waits for the embedding of its query
 */
public record SearchConfiguration(
    @Nullable DataSize cache,
    @Nullable String embeddingModel,
    String embeddingQueryPrefix,
    String embeddingPassagePrefix,
    @Nullable String embeddingInputType,
    Duration embeddingTimeout) {
  private static final int MAX_TYPES_CHARACTERS = 130;
  private static final int MAX_PREFIX_CHARACTERS = 1_000;
  private static final long MAX_DEFAULT_BYTES = 256L << 20;
  private static final long MIN_BYTES = 16 << 20;
  private static final Duration DEFAULT_TIMEOUT = Duration.seconds(1);
  private static final long MAX_TIMEOUT_MILLIS = 10_000;

  public SearchConfiguration {
    checkArgument(cache == null || cache.toBytes() >= MIN_BYTES, "cache must be at least 16MiB");
    checkArgument(
        embeddingTimeout.toMilliseconds() >= 1
            && embeddingTimeout.toMilliseconds() <= MAX_TIMEOUT_MILLIS,
        "embeddingTimeout must be between 1ms and 10s");
    checkArgument(
        embeddingQueryPrefix.length() <= MAX_PREFIX_CHARACTERS
            && embeddingPassagePrefix.length() <= MAX_PREFIX_CHARACTERS,
        "embeddingQueryPrefix and embeddingPassagePrefix must have at most 1000 characters");
    checkArgument(
        embeddingInputType == null || isPair(embeddingInputType),
        "embeddingInputType must be query/passage, in the words of the model");
  }

  @JsonCreator
  static SearchConfiguration read(
      @Nullable DataSize cache,
      @Nullable String embeddingModel,
      @Nullable String embeddingQueryPrefix,
      @Nullable String embeddingPassagePrefix,
      @Nullable String embeddingInputType,
      @Nullable Duration embeddingTimeout) {
    return new SearchConfiguration(
        cache,
        given(embeddingModel),
        requireNonNullElse(embeddingQueryPrefix, ""),
        requireNonNullElse(embeddingPassagePrefix, ""),
        given(embeddingInputType),
        requireNonNullElse(embeddingTimeout, DEFAULT_TIMEOUT));
  }

  public static SearchConfiguration defaults() {
    return read(null, null, null, null, null, null);
  }

  private static @Nullable String given(@Nullable String value) {
    return value == null || value.isBlank() ? null : value.strip();
  }

  private static boolean isPair(String types) {
    int slash = types.indexOf('/');
    return slash > 0
        && slash == types.lastIndexOf('/')
        && slash < types.length() - 1
        && types.length() <= MAX_TYPES_CHARACTERS;
  }

  private EmbeddedInput input(String prefix, int type) {
    return new EmbeddedInput(
        prefix, embeddingInputType == null ? null : embeddingInputType.split("/", -1)[type]);
  }

  /** The settings of embedding; null if messages are not embedded. */
  public EmbeddingModule.@Nullable Settings embedding() {
    return embeddingModel == null
        ? null
        : new EmbeddingModule.Settings(
            embeddingModel,
            input(embeddingQueryPrefix, 0),
            input(embeddingPassagePrefix, 1),
            embeddingTimeout.toJavaDuration(),
            cachedBytes() - bytesOfTerms());
  }

  /** Heap for terms: if messages are embedded, terms and vectors have half of the cache each. */
  long bytesOfTerms() {
    return embeddingModel == null ? cachedBytes() : cachedBytes() / 2;
  }

  private long cachedBytes() {
    return cache == null
        ? Math.min(MAX_DEFAULT_BYTES, Runtime.getRuntime().maxMemory() / 8)
        : cache.toBytes();
  }
}
