package io.memorygateway.observation;

import java.time.Duration;

/** Asks a language model once. */
public interface ModelClient {

  /**
   * Asks and waits for the whole answer. May be called by several threads at once.
   *
   * @throws ModelFailureException if there is no answer, or none in time
   */
  Completion complete(Request request) throws ModelFailureException, InterruptedException;

  /**
   * A question.
   *
   * @param model as callers of the gateway name it: {@code provider/model}
   * @param maxOutputTokens for providers that want to be told; others may give more
   * @param timeLimit from the call to the last byte of the answer
   */
  record Request(
      String model, String system, String text, int maxOutputTokens, Duration timeLimit) {}

  /**
   * An answer.
   *
   * @param truncated whether the model was stopped before its end
   * @param inputTokens as the provider counts; -1 if it does not say
   * @param outputTokens likewise
   */
  record Completion(String text, boolean truncated, long inputTokens, long outputTokens) {}
}
