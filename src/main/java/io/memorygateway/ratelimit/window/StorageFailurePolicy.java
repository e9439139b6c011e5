package io.memorygateway.ratelimit.window;

/**
 * Policy {@code onStorageFailure}: what happens while the database cannot be reached (contract §4).
 */
public enum StorageFailurePolicy {
  /** Each node counts in memory against the full limits. */
  LOCAL,
  /** Requests are refused with 503. */
  DENY
}
