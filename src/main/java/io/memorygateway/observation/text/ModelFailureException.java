package io.memorygateway.observation.text;

import java.util.Locale;

/** Thrown when a model gave no answer. */
public final class ModelFailureException extends Exception {
  /** Why there is no answer; a label of metrics. */
  public enum Reason {
    /** The provider refused the question, and would refuse it again. */
    REFUSED,
    /** The provider could not be reached, or cannot answer for now. */
    UNAVAILABLE,
    /** No answer, or not all of it, was received in time. */
    TIMEOUT;

    /** The name of the reason in metrics. */
    public String label() {
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
