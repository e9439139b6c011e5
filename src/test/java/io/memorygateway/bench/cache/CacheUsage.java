package io.memorygateway.bench.cache;

/**
 * Tokens of input, by what they cost.
 *
 * @param fresh that no cache has or gets
 * @param read from the cache
 * @param written to the cache
 */
public record CacheUsage(long fresh, long read, long written) {
  public static final CacheUsage NONE = new CacheUsage(0, 0, 0);

  /** Prices in hundredths of that of a fresh token. */
  private static final long FRESH = 100;

  private static final long READ = 10;
  private static final long WRITTEN = 125;

  public CacheUsage plus(CacheUsage other) {
    return new CacheUsage(fresh + other.fresh, read + other.read, written + other.written);
  }

  /** The price in fresh tokens. */
  public long price() {
    return (FRESH * fresh + READ * read + WRITTEN * written) / FRESH;
  }

  /** The share of all tokens that was read from the cache. */
  public double readShare() {
    return (double) read / (fresh + read + written);
  }
}
