package io.memorygateway.budget.hold;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/**
 * How many tokens providers count for one of the gateway's, by target: each maker has a vocabulary
 * of its own. Goes up at once and down slowly. Thread-safe.
 */
final class InputFactors {
  private static final int MAX_TARGETS = 1024;

  /** Inputs of fewer tokens say little: what surrounds them counts, too. */
  private static final long LEAST_INPUT = 256;

  /** More is no matter of vocabularies. */
  private static final double MOST = 4;

  private static final int SLOWNESS = 64;

  private final Cache<String, Double> factors =
      Caffeine.newBuilder().maximumSize(MAX_TARGETS).build();

  /** The tokens that a target may count for so many of the gateway's. */
  long most(String target, long counted) {
    Double factor = factors.getIfPresent(target);
    return factor == null ? counted : (long) Math.ceil(counted * factor);
  }

  /** Takes what a target did count. */
  void told(String target, long counted, long told) {
    if (counted >= LEAST_INPUT && told > 0) {
      double ratio = Math.max(1, Math.min(MOST, (double) told / counted));
      factors
          .asMap()
          .merge(
              target,
              ratio,
              (known, last) -> last > known ? last : known - (known - last) / SLOWNESS);
    }
  }
}
