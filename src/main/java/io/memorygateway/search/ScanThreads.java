package io.memorygateway.search;

import io.memorygateway.concurrent.DaemonThreads;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.http.ClientPresence;
import io.memorygateway.http.ErrorCatalogue;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Runs long searches on a few dedicated platform threads: a virtual thread is not preempted, and
 * there a few of them would hold up every request of the node. The number of waiting searches is
 * bounded, for all and for each project.
 */
final class ScanThreads {
  /** Bytes that are indexed, or scanned, on the request's own thread. */
  private static final long MAX_INLINE_INDEXED_BYTES = 64 << 10;

  private static final long MAX_INLINE_SCANNED_BYTES = 4 << 20;
  private static final int MAX_WAITING = 64;
  private static final long IDLE_SECONDS = 30;

  private final ThreadPoolExecutor threads;
  private final int maxPerProject;
  private final Map<Long, Integer> underWay = new HashMap<>();
  private final SearchMetrics metrics;

  ScanThreads(int maxThreads, SearchMetrics metrics) {
    this.threads =
        new ThreadPoolExecutor(
            maxThreads,
            maxThreads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            DaemonThreads.named("search"));
    threads.allowCoreThreadTimeOut(true);
    this.maxPerProject = maxThreads + MAX_WAITING / 2;
    this.metrics = metrics;
  }

  /**
   * The amount of work of a search.
   *
   * @param project {@code projects.id} of the caller
   * @param indexed bytes of content that have to be indexed first
   * @param scanned bytes of content that are searched
   */
  record Size(long project, long indexed, long scanned) {
    /** The size with more bytes to be read first. */
    Size plus(long more) {
      return new Size(project, indexed + more, scanned);
    }

    private boolean isSmall() {
      return indexed <= MAX_INLINE_INDEXED_BYTES && scanned <= MAX_INLINE_SCANNED_BYTES;
    }
  }

  /**
   * Does the work and waits for it; small work is done on the current thread.
   *
   * @param client whose leaving interrupts it
   * @throws ApiException what the work throws; 503 if too many searches wait already; 499 if the
   *     client has left
   */
  <T> T run(Size size, ClientPresence client, Supplier<T> work) {
    if (size.isSmall()) {
      return work.get();
    }
    FutureTask<T> result = submit(size, work);
    try {
      ClientPresence.Watch watch = client.watch(() -> result.cancel(true));
      try {
        return result.get();
      } finally {
        watch.close();
      }
    } catch (CancellationException e) {
      throw new ApiException(ErrorCatalogue.forStatus(499));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ApiException(ApiError.unavailable("The gateway is about to stop.", 1));
    } catch (ExecutionException e) {
      throw failure(e);
    } finally {
      if (result.cancel(true)) {
        threads.remove(result);
      }
    }
  }

  /**
   * Does the work and waits for it for a bounded time; small work is done on the current thread.
   * Work that takes longer is finished for later searches.
   *
   * @return empty if it was not done in time
   * @throws ApiException what the work throws; 503 if too many searches wait already
   */
  <T> Optional<T> runWithin(Duration timeout, Size size, Supplier<T> work) {
    if (size.isSmall()) {
      return Optional.of(work.get());
    }
    try {
      return Optional.of(submit(size, work).get(timeout.toNanos(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } catch (ExecutionException e) {
      throw failure(e);
    }
  }

  private <T> FutureTask<T> submit(Size size, Supplier<T> work) {
    enter(size.project);
    FutureTask<T> task =
        new FutureTask<>(work::get) {
          @Override
          protected void done() {
            leave(size.project);
          }
        };
    try {
      threads.execute(task);
      return task;
    } catch (RejectedExecutionException e) {
      task.cancel(false);
      throw refusal();
    }
  }

  private static RuntimeException failure(ExecutionException e) {
    if (e.getCause() instanceof CancellationException) {
      return new ApiException(ErrorCatalogue.forStatus(499));
    }
    return e.getCause() instanceof RuntimeException failure
        ? failure
        : new IllegalStateException(e.getCause());
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

  /** Number of searches of a project that wait or run here. */
  int waitingOrRunning(long project) {
    synchronized (underWay) {
      return underWay.getOrDefault(project, 0);
    }
  }

  private ApiException refusal() {
    metrics.refused();
    return new ApiException(
        ApiError.unavailable("Too many searches wait at the moment; try again.", 1));
  }

  void close() {
    threads.shutdownNow();
  }
}
