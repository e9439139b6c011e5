package io.memorygateway.observation;

import java.util.Locale;

/** A model gave no answer. */
public final class ModelFailureException extends Exception {
  /** Why; a label of metrics. */
  public enum Reason {
    /** The provider did not take the question, and would not take it again. */
    REFUSED,
    /** It could not be reached, or is not able to answer for now. */
    UNAVAILABLE,
    /** Nothing, or not all of it, came in time. */
    TIMEOUT;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Reason reason;

  public ModelFailureException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
