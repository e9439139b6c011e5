package io.memorygateway.auth;

import org.jspecify.annotations.Nullable;

/** Failure of a look-up of a key. */
final class LookUpException extends Exception {
  private static final long serialVersionUID = 1;

  private final boolean unreachable;

  private LookUpException(String message, @Nullable Throwable cause, boolean unreachable) {
    super(message, cause);
    this.unreachable = unreachable;
  }

  /** The database cannot be reached. */
  static LookUpException unreachable(@Nullable Throwable cause) {
    return new LookUpException("the database cannot be reached", cause, true);
  }

  /** The database is there, but the answer is not. */
  static LookUpException failed(String message, @Nullable Throwable cause) {
    return new LookUpException(message, cause, false);
  }

  /** Whether the database cannot be reached; else it is slow, refuses, or too many wait. */
  boolean isUnreachable() {
    return unreachable;
  }
}
