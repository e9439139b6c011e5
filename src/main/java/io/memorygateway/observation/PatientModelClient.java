package io.memorygateway.observation;

import io.memorygateway.observation.ModelFailureException.Reason;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.random.RandomGenerator;

/**
 * Asks again when a model is not available for now, with pauses that grow, and never has more calls
 * open at once than it may.
 */
final class PatientModelClient implements ModelClient {
  private final ModelClient client;
  private final int attempts;
  private final Duration firstPause;
  private final Semaphore permits;
  private final ObservationMetrics metrics;
  private final RandomGenerator random;

  PatientModelClient(
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
        return once(request);
      } catch (ModelFailureException failure) {
        metrics.modelFailed(failure.reason().label());
        // Who let the time run out once would take it again.
        if (failure.reason() != Reason.UNAVAILABLE || attempt == attempts) {
          throw failure;
        }
        long pause = firstPause.toMillis() << (attempt - 1);
        Thread.sleep(pause / 2 + random.nextLong(pause / 2 + 1));
      }
    }
  }

  private Completion once(Request request) throws ModelFailureException, InterruptedException {
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
