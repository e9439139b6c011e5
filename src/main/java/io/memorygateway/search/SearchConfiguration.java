package io.memorygateway.search;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.dropwizard.util.DataSize;
import io.dropwizard.util.Duration;
import io.memorygateway.embedding.EmbeddingModule;
import org.jspecify.annotations.Nullable;

/**
 * {@code search:} in config.yml.
 *
 * @param cache heap for the terms and vectors of threads that were searched; one search holds at
 *     most half of it. Default an eighth of the heap, 256 MiB at most
 * @param embeddingModel {@code provider/model} that embeds messages; null to search by words alone
 * @param embeddingTimeout how long a search waits for the embedding of its query
 */
public record SearchConfiguration(
    @Nullable DataSize cache, @Nullable String embeddingModel, Duration embeddingTimeout) {
  private static final long MAX_DEFAULT_BYTES = 256L << 20;
  private static final long MIN_BYTES = 16 << 20;
  private static final Duration DEFAULT_TIMEOUT = Duration.seconds(1);
  private static final long MAX_TIMEOUT_MILLIS = 10_000;

  public SearchConfiguration {
    if (cache != null && cache.toBytes() < MIN_BYTES) {
      throw new IllegalArgumentException("cache must be at least 16MiB");
    }
    if (embeddingTimeout.toMilliseconds() < 1
        || embeddingTimeout.toMilliseconds() > MAX_TIMEOUT_MILLIS) {
      throw new IllegalArgumentException("embeddingTimeout must be between 1ms and 10s");
    }
  }

  @JsonCreator
  static SearchConfiguration read(
      @JsonProperty("cache") @Nullable DataSize cache,
      @JsonProperty("embeddingModel") @Nullable String embeddingModel,
      @JsonProperty("embeddingTimeout") @Nullable Duration embeddingTimeout) {
    return new SearchConfiguration(
        cache,
        embeddingModel == null || embeddingModel.isBlank() ? null : embeddingModel.strip(),
        requireNonNullElse(embeddingTimeout, DEFAULT_TIMEOUT));
  }

  public static SearchConfiguration defaults() {
    return read(null, null, null);
  }

  /** The settings of embedding; null if messages are not embedded. */
  public EmbeddingModule.@Nullable Settings embedding() {
    return embeddingModel == null
        ? null
        : new EmbeddingModule.Settings(
            embeddingModel, embeddingTimeout.toJavaDuration(), cachedBytes() - bytesOfTerms());
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
