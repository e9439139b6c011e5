package io.memorygateway.format.answer;

/** Thrown when an answer of the upstream is not one JSON object; leads to a 502 (contract §3). */
public final class MalformedAnswerException extends Exception {
  MalformedAnswerException() {
    super("The upstream's answer is not a JSON object.", null, false, false);
  }
}
