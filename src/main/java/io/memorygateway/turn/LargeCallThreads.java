package io.memorygateway.turn;

import io.memorygateway.concurrent.DaemonThreads;
import io.memorygateway.http.ApiException;
import io.memorygateway.http.ClientPresence;
import io.memorygateway.http.ErrorCatalogue;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Reads and aligns large calls on a few dedicated platform threads. A virtual thread is not
 * preempted: there, a few such calls would hold all carriers, and with them every request of the
 * node. The number of waiting calls is bounded, for all and for each project; the work ends when
 * the client leaves.
 */
final class LargeCallThreads {
  private static final int MAX_WAITING = 32;
  private static final long IDLE_SECONDS = 30;

  private final ThreadPoolExecutor threads;
  private final int maxPerProject;
  private final Map<Long, Integer> underWay = new HashMap<>();
  private final Counter refused;

  LargeCallThreads(int maxThreads, PrometheusRegistry registry) {
    this.threads =
        new ThreadPoolExecutor(
            maxThreads,
            maxThreads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            DaemonThreads.named("large-call"));
    threads.allowCoreThreadTimeOut(true);
    this.maxPerProject = maxThreads + MAX_WAITING / 2;
    this.refused =
        Counter.builder()
            .name("memory_gateway_large_calls_refused_total")
            .help("Large calls with memory that were refused (503) because too many waited.")
            .register(registry);
  }

  /**
   * Does the work on one of the threads and waits for it.
   *
   * @param project {@code projects.id} of the caller
   * @throws ApiException what the work throws; 503 if too many calls wait already; 499 if the
   *     client has left
   */
  <T> T run(long project, ClientPresence client, Callable<T> work) {
    enter(project);
    try {
      Future<T> result = threads.submit(work);
      ClientPresence.Watch watch = client.watch(() -> result.cancel(true));
      try {
        return result.get();
      } finally {
        watch.close();
        result.cancel(true);
      }
    } catch (RejectedExecutionException e) {
      throw refusal();
    } catch (CancellationException e) {
      throw new ApiException(ErrorCatalogue.forStatus(499));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BusyException("The gateway is about to stop.");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CancellationException) {
        throw new ApiException(ErrorCatalogue.forStatus(499));
      }
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } finally {
      leave(project);
    }
  }

  /** Number of calls of a project that wait or run here. */
  int waitingOrRunning(long project) {
    synchronized (underWay) {
      return underWay.getOrDefault(project, 0);
    }
  }

  private void enter(long project) {
    synchronized (underWay) {
      if (underWay.merge(project, 1, Integer::sum) <= maxPerProject) {
        return;
      }
    }
    leave(project);
    throw refusal();
  }

  private void leave(long project) {
    synchronized (underWay) {
      underWay.computeIfPresent(project, (id, count) -> count == 1 ? null : count - 1);
    }
  }

  private BusyException refusal() {
    refused.inc();
    return new BusyException("Too many large calls wait at the moment.");
  }
}
