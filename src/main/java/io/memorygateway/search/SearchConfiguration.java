package io.memorygateway.search;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.dropwizard.util.DataSize;
import org.jspecify.annotations.Nullable;

/**
 * {@code search:} in config.yml.
 *
 * @param cache heap for the terms of threads that were searched; half of it is the most that one
 *     search holds. Default an eighth of the heap, 256 MiB at most
 */
public record SearchConfiguration(@Nullable DataSize cache) {
  private static final long MOST_BY_DEFAULT = 256L << 20;
  private static final long LEAST = 16 << 20;

  @JsonCreator
  static SearchConfiguration read(@JsonProperty("cache") @Nullable DataSize cache) {
    if (cache != null && cache.toBytes() < LEAST) {
      throw new IllegalArgumentException("cache must be at least 16MiB");
    }
    return new SearchConfiguration(cache);
  }

  public static SearchConfiguration defaults() {
    return read(null);
  }

  long cachedBytes() {
    return cache == null
        ? Math.min(MOST_BY_DEFAULT, Runtime.getRuntime().maxMemory() / 8)
        : cache.toBytes();
  }
}
