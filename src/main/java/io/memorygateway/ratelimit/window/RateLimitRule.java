package io.memorygateway.ratelimit.window;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * At most {@code limit} requests of a key in each window. Windows are aligned to the Unix epoch.
 *
 * @param name the rule's name, also in per-key overrides
 * @param limit 0 or more
 * @param window whole seconds, 1 s to 1 day
 */
public record RateLimitRule(String name, AppliesTo appliesTo, long limit, Duration window) {
  static final Duration LONGEST_WINDOW = Duration.ofDays(1);

  public RateLimitRule {
    requireNonNull(name, "name");
    requireNonNull(appliesTo, "appliesTo");
    if (limit < 0) {
      throw new IllegalArgumentException("a limit is 0 or more, not " + limit);
    }
    if (window.compareTo(Duration.ofSeconds(1)) < 0
        || window.compareTo(LONGEST_WINDOW) > 0
        || window.toMillis() % 1000 != 0) {
      throw new IllegalArgumentException(
          "a window is of 1 s to 1 day, in whole seconds: " + window);
    }
  }
}
