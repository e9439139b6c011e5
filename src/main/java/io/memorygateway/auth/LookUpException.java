package io.memorygateway.auth;

import org.jspecify.annotations.Nullable;

/** Failure to look up a key. */
final class LookUpException extends Exception {
  private final boolean unreachable;

  private LookUpException(String message, @Nullable Throwable cause, boolean unreachable) {
    super(message, cause);
    this.unreachable = unreachable;
  }

  /** Creates the failure of a database that cannot be reached. */
  static LookUpException unreachable(@Nullable Throwable cause) {
    return new LookUpException("the database cannot be reached", cause, true);
  }

  /** Creates the failure of a database that can be reached but gave no result. */
  static LookUpException failed(String message, @Nullable Throwable cause) {
    return new LookUpException(message, cause, false);
  }

  /**
   * Whether the database cannot be reached; else it is slow or refuses, or too many look-ups wait.
   */
  boolean isUnreachable() {
    return unreachable;
  }
}
