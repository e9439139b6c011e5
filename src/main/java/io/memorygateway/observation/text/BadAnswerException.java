package io.memorygateway.observation.text;

import java.util.Locale;

/** Thrown when the answer of an observer's model cannot be used as observations. */
final class BadAnswerException extends Exception {
  /** The defect of the answer; a label of metrics. */
  enum Reason {
    EMPTY,
    TRUNCATED,
    REPEATING,
    UNPARSEABLE,
    NOT_SMALLER;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Reason reason;

  BadAnswerException(Reason reason) {
    super("the answer is " + reason.label().replace('_', ' '));
    this.reason = reason;
  }

  Reason reason() {
    return reason;
  }
}
