package io.memorygateway.embedding;

import io.memorygateway.concurrent.CallerShares;
import io.memorygateway.concurrent.DaemonThreads;
import io.memorygateway.embedding.EmbeddingClient.Embeddings;
import io.memorygateway.embedding.EmbeddingClient.Request;
import io.memorygateway.embedding.EmbeddingFailureException.Reason;
import io.memorygateway.embedding.EmbeddingMetrics.QueryOutcome;
import io.memorygateway.proxy.circuit.Circuit;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Embeds the query of a search, within a short time limit, while the words are searched. While the
 * provider fails, no search waits for it: the circuit is open, and the one call that probes it is
 * not waited for either.
 */
public final class QueryEmbedding {
  private static final int MAX_THREADS = 32;

  private final EmbeddingClient client;
  private final String model;
  private final EmbeddedInput input;
  private final Duration timeLimit;
  private final Circuit circuit;
  private final EmbeddingMetrics metrics;
  private final ExecutorService threads;
  private final CallerShares shares = new CallerShares(MAX_THREADS, Duration.ZERO);

  QueryEmbedding(
      EmbeddingClient client,
      String model,
      EmbeddedInput input,
      Duration timeLimit,
      Circuit circuit,
      EmbeddingMetrics metrics) {
    this.client = client;
    this.model = model;
    this.input = input;
    this.timeLimit = timeLimit;
    this.circuit = circuit;
    this.metrics = metrics;
    this.threads = DaemonThreads.pool("query-embedding", MAX_THREADS);
  }

  @FunctionalInterface
  public interface PendingEmbedding {
    /** Waits for the vector until the time limit; null if there is none. */
    float @Nullable [] await();
  }

  /**
   * Begins to embed a query; returns at once.
   *
   * @param key of the caller, whose queries alone are kept away if they fail
   * @param project of the key
   */
  public PendingEmbedding ask(String query, long key, long project) {
    Circuit.Permit permit = circuit.tryAcquire(key, project);
    if (permit == null) {
      return without(QueryOutcome.PAUSED);
    }
    boolean probes = permit.isProbe();
    long end = System.nanoTime() + timeLimit.toNanos();
    Future<float[]> embedding;
    CallerShares.Held share = shares.open(key, project);
    try {
      if (share.acquire() != null) {
        throw new RejectedExecutionException();
      }
      embedding = threads.submit(() -> embed(query, permit, share));
    } catch (RejectedExecutionException e) {
      share.close();
      permit.released();
      return without(QueryOutcome.LATE);
    }
    return probes ? without(QueryOutcome.PAUSED) : () -> await(embedding, end);
  }

  private PendingEmbedding without(QueryOutcome outcome) {
    metrics.queryEnded(outcome);
    return () -> null;
  }

  private float @Nullable [] await(Future<float[]> embedding, long end) {
    QueryOutcome outcome = QueryOutcome.FAILED;
    try {
      float[] vector = embedding.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
      outcome = QueryOutcome.EMBEDDED;
      return vector;
    } catch (TimeoutException e) {
      outcome = QueryOutcome.LATE;
    } catch (ExecutionException e) {
      outcome = isTimeout(e.getCause()) ? QueryOutcome.LATE : QueryOutcome.FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      metrics.queryEnded(outcome);
    }
    return null;
  }

  private static boolean isTimeout(@Nullable Throwable cause) {
    return cause instanceof EmbeddingFailureException failure && failure.reason() == Reason.TIMEOUT;
  }

  private float[] embed(String query, Circuit.Permit permit, CallerShares.Held share)
      throws EmbeddingFailureException, InterruptedException {
    boolean reported = false;
    try (share) {
      Embeddings answer =
          client.embed(
              new Request(
                  model,
                  input.inputType(),
                  List.of(input.prefix() + EmbeddingText.cut(query)),
                  timeLimit));
      permit.succeeded();
      reported = true;
      metrics.used(answer.inputTokens());
      return answer.vectors().get(0);
    } catch (EmbeddingFailureException e) {
      metrics.failed(e.reason());
      if (e.reason() != Reason.REFUSED) {
        permit.failed(null);
        reported = true;
      }
      throw e;
    } finally {
      if (!reported) {
        permit.released();
      }
    }
  }

  void close() {
    threads.shutdownNow();
  }
}
