package io.memorygateway.http.admission;

import io.memorygateway.concurrent.DaemonThreads;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorCatalogue;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * A few platform threads for work of requests that takes long. A virtual thread is not preempted:
 * there, a few such requests would hold all carriers, and with them every request of the node. The
 * number of waiting requests is bounded, for all and for each project.
 */
public final class DedicatedThreads {
  private static final long IDLE_SECONDS = 30;

  private final ThreadPoolExecutor threads;
  private final int maxPerProject;
  private final Supplier<? extends ApiException> refusal;
  private final Map<Long, Integer> underWay = new HashMap<>();

  /**
   * Creates threads that start when they are needed.
   *
   * @param name of each of them
   * @param maxWaiting requests that wait; those of one project may be half of them
   * @param refusal thrown where too many wait, and where the gateway stops
   */
  public DedicatedThreads(
      String name, int maxThreads, int maxWaiting, Supplier<? extends ApiException> refusal) {
    this.threads =
        new ThreadPoolExecutor(
            maxThreads,
            maxThreads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(maxWaiting),
            DaemonThreads.named(name));
    threads.allowCoreThreadTimeOut(true);
    this.maxPerProject = maxThreads + maxWaiting / 2;
    this.refusal = refusal;
  }

  /**
   * Does the work on one of the threads and waits for it.
   *
   * @param project {@code projects.id} of the caller
   * @param client whose leaving interrupts the work
   * @throws ApiException what the work throws; the refusal if too many requests wait already; 499
   *     if the client has left
   */
  public <T> T run(long project, ClientPresence client, Supplier<T> work) {
    FutureTask<T> result = submit(project, work);
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
      throw refusal.get();
    } catch (ExecutionException e) {
      throw failure(e);
    } finally {
      if (result.cancel(true)) {
        threads.remove(result);
      }
    }
  }

  /**
   * Does the work on one of the threads and waits for it for a bounded time. Work that takes longer
   * is finished for later requests.
   *
   * @param project {@code projects.id} of the caller
   * @return empty if it was not done in time
   * @throws ApiException what the work throws; the refusal if too many requests wait already
   */
  public <T> Optional<T> runWithin(Duration timeout, long project, Supplier<T> work) {
    try {
      return Optional.of(submit(project, work).get(timeout.toNanos(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } catch (ExecutionException e) {
      throw failure(e);
    }
  }

  private <T> FutureTask<T> submit(long project, Supplier<T> work) {
    enter(project);
    AtomicBoolean left = new AtomicBoolean();
    Runnable leaving =
        () -> {
          if (left.compareAndSet(false, true)) {
            leave(project);
          }
        };
    FutureTask<T> task =
        new FutureTask<>(() -> finished(work, leaving)) {
          @Override
          protected void done() {
            leaving.run(); // also if it was cancelled
          }
        };
    try {
      threads.execute(task);
      return task;
    } catch (RejectedExecutionException e) {
      task.cancel(false);
      throw refusal.get();
    }
  }

  /** Leaves before the result is known: who has it may come again at once. */
  private static <T> T finished(Supplier<T> work, Runnable leaving) {
    try {
      return work.get();
    } finally {
      leaving.run();
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
    throw refusal.get();
  }

  private void leave(long project) {
    synchronized (underWay) {
      underWay.computeIfPresent(project, (id, count) -> count == 1 ? null : count - 1);
    }
  }

  /** Number of requests of a project that wait or run here. */
  int waitingOrRunning(long project) {
    synchronized (underWay) {
      return underWay.getOrDefault(project, 0);
    }
  }

  /** Interrupts what is under way. */
  public void close() {
    threads.shutdownNow();
  }
}
