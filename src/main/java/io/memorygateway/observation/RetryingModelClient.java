package io.memorygateway.observation;

import io.memorygateway.observation.text.ModelClient;
import io.memorygateway.observation.text.ModelFailureException;
import io.memorygateway.observation.text.ModelFailureException.Reason;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.random.RandomGenerator;

/**
 * Retries calls of a model that is not available for now, with pauses that grow, and limits the
 * number of calls that are open at once.
 */
final class RetryingModelClient implements ModelClient {
  private final ModelClient client;
  private final int attempts;
  private final Duration firstPause;
  private final Semaphore permits;
  private final ObservationMetrics metrics;
  private final RandomGenerator random;

  RetryingModelClient(
      ModelClient client,
      int attempts,
      Duration firstPause,
      int parallelCalls,
      ObservationMetrics metrics,
      RandomGenerator random) {
    this.client = client;
    this.attempts = attempts;
    this.firstPause = firstPause;
    this.permits = new Semaphore(parallelCalls, true);
    this.metrics = metrics;
    this.random = random;
  }

  @Override
  public Completion complete(Request request) throws ModelFailureException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        return attempt(request);
      } catch (ModelFailureException failure) {
        metrics.modelFailed(failure.reason().label());
        // A call that timed out once would probably time out again.
        if (failure.reason() != Reason.UNAVAILABLE || attempt == attempts) {
          throw failure;
        }
        long pause = firstPause.toMillis() << (attempt - 1);
        Thread.sleep(pause / 2 + random.nextLong(pause / 2 + 1));
      }
    }
  }

  private Completion attempt(Request request) throws ModelFailureException, InterruptedException {
    permits.acquire();
    try {
      Completion completion = client.complete(request);
      metrics.modelUsed(completion.inputTokens(), completion.outputTokens());
      return completion;
    } finally {
      permits.release();
    }
  }
}
