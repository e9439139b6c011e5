package io.memorygateway.observation;

import java.util.Locale;

/** What a model gave in place of observations, so that nothing can be made of it. */
final class BadAnswerException extends Exception {
  /** What is wrong with it; a label of metrics. */
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
