package io.memorygateway.ratelimit.window;

import org.jspecify.annotations.Nullable;

/**
 * Outcome of one request and the content of its {@code X-RateLimit-*} headers.
 *
 * @param shown the rule that the headers describe; null where no rule applies or none was counted
 * @param retryAfterSeconds whole seconds until the reset, at least 1; 0 unless refused
 * @param refusedBy the rule that is shown; null unless refused
 */
public record Decision(
    Outcome outcome,
    @Nullable Shown shown,
    long retryAfterSeconds,
    @Nullable RateLimitRule refusedBy) {

  /** Outcomes; the name in lower case is the metric's label. */
  public enum Outcome {
    /** Counted in the shared window. */
    ALLOWED,
    /** Refused: a window is full. */
    LIMITED,
    /** Counted by this node alone, for the database cannot be reached. */
    LOCAL,
    /**
     * Neither counted nor refused: the database is too slow or too busy, or cannot be reached and
     * {@code onStorageFailure} is {@code deny}.
     */
    UNAVAILABLE
  }

  /**
   * One rule as the headers show it.
   *
   * @param resetEpochSecond when its running window ends
   */
  public record Shown(long limit, long remaining, long resetEpochSecond) {}

  static final Decision UNCOUNTED = new Decision(Outcome.ALLOWED, null, 0, null);
  static final Decision UNAVAILABLE = new Decision(Outcome.UNAVAILABLE, null, 0, null);
}
