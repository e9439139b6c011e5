package io.memorygateway.embedding;

import java.util.Locale;

/** Thrown when an embedding model gave no vectors. */
public final class EmbeddingFailureException extends Exception {
  /** Why there are no vectors; a label of metrics. */
  public enum Reason {
    /** The provider refused the texts, and would refuse them again (400, 413, 422). */
    REFUSED,
    /**
     * The provider could not be reached, or does not serve this gateway or model for now; or this
     * node has no room for the call. Never because of the texts.
     */
    UNAVAILABLE,
    /** The provider answered with a status of 500 or more, maybe because of a text. */
    ERROR,
    /** The answer was not complete in time. */
    TIMEOUT,
    /** The answer does not hold a vector of finite numbers for each text. */
    INVALID;

    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the model would say the same to the text again, if it answers to others. */
    boolean isForGood() {
      return this == REFUSED || this == INVALID;
    }
  }

  private final Reason reason;

  public EmbeddingFailureException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
