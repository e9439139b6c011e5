package io.memorygateway.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Calls of a model at a steady rate, however long they take. Their latency counts from when each
 * was due.
 */
final class SteadyLoad {
  private static final int CONNECTIONS = 16;
  private static final String BODY =
      """
      {"model":"openai/gpt-5-mini","messages":[{"role":"user","content":"What is the capital of France?"}]}""";

  private final int port;
  private final byte[] request;
  private final long nanosBetween;

  SteadyLoad(int port, String key, int callsPerSecond) {
    this.port = port;
    request = BenchClient.post(key, "/v1/chat/completions", "", BODY);
    nanosBetween = TimeUnit.SECONDS.toNanos(CONNECTIONS) / callsPerSecond;
  }

  /** Something to be done meanwhile. */
  interface Work {
    void run() throws Exception;
  }

  /**
   * Calls for as long as the work takes.
   *
   * @throws Exception from the work, or if a call failed
   */
  Latencies during(Work work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS);
    List<Future<Latencies>> running = new ArrayList<>();
    long begin = System.nanoTime();
    for (int i = 0; i < CONNECTIONS; i++) {
      long first = begin + nanosBetween * i / CONNECTIONS;
      running.add(threads.submit(() -> call(first)));
    }
    try {
      work.run();
    } finally {
      threads.shutdownNow();
    }
    Latencies all = new Latencies();
    for (Future<Latencies> latencies : running) {
      all.add(result(latencies));
    }
    return all;
  }

  private static Latencies result(Future<Latencies> latencies) throws Exception {
    try {
      return latencies.get();
    } catch (ExecutionException e) {
      throw new IOException("a call failed", e);
    }
  }

  private Latencies call(long first) throws IOException {
    Latencies latencies = new Latencies();
    try (BenchClient client = new BenchClient(port)) {
      for (long due = first; !Thread.currentThread().isInterrupted(); due += nanosBetween) {
        BenchClient.sleepUntil(due);
        if (!Thread.currentThread().isInterrupted()) {
          client.call(request);
          latencies.record(System.nanoTime() - due);
        }
      }
    }
    return latencies;
  }
}
