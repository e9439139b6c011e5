package io.memorygateway.observation.text;

import io.memorygateway.format.content.Media;
import java.time.Duration;
import java.util.List;

/** Client of a language model that asks once, without retries. */
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
   * @param shown images and PDF files, with their data and its type
   * @param maxOutputTokens sent to providers that require it; others may answer with more
   * @param timeLimit from the call to the last byte of the answer
   */
  record Request(
      String model,
      String system,
      String text,
      List<Media> shown,
      int maxOutputTokens,
      Duration timeLimit) {}

  /**
   * An answer.
   *
   * @param truncated whether the model was stopped before its end
   * @param inputTokens as the provider counts; -1 if not reported
   * @param outputTokens as the provider counts; -1 if not reported
   */
  record Completion(String text, boolean truncated, long inputTokens, long outputTokens) {}
}
