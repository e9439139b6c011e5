package io.memorygateway.json;

import java.io.IOException;

/** Thrown for a text that is not JSON, or violates the options of the parse. */
public class MalformedJsonException extends IOException {
  /**
   * @param fault what is wrong, without a subject: {@code is not valid JSON}; quotes nothing of the
   *     text
   */
  MalformedJsonException(String fault) {
    super(fault);
  }

  /** Thrown for JSON with more values than its reader accepts. */
  public static final class TooManyValues extends MalformedJsonException {
    TooManyValues() {
      super("has too many values");
    }
  }
}
