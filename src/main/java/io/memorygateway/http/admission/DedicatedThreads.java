package io.memorygateway.http.admission;

import io.memorygateway.concurrent.CallerShares;
import io.memorygateway.concurrent.DaemonThreads;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorCatalogue;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * A few platform threads for work of requests that takes long. A virtual thread is not preempted:
 * there, a few such requests would hold all carriers, and with them every request of the node. Work
 * that has to wait does so on a thread of its own, too.
 */
public final class DedicatedThreads {
  private static final Duration FOR_EVER = Duration.ofDays(1);

  private final ExecutorService threads;
  private final CallerShares places;
  private final CallerShares working;
  private final Supplier<? extends ApiException> refusal;

  /**
   * Creates threads that start when they are needed.
   *
   * @param name of each of them
   * @param maxWorking requests whose work is done at the same time
   * @param maxWaiting further requests
   * @param refusal thrown where too many wait, and where the gateway stops
   */
  public DedicatedThreads(
      String name, int maxWorking, int maxWaiting, Supplier<? extends ApiException> refusal) {
    this.threads = DaemonThreads.pool(name, Integer.MAX_VALUE);
    this.places = new CallerShares(maxWorking + maxWaiting, Duration.ZERO);
    this.working = new CallerShares(maxWorking, FOR_EVER, maxWaiting);
    this.refusal = refusal;
  }

  /**
   * Does the work on one of the threads and waits for it.
   *
   * @param key {@code api_keys.id} of the caller
   * @param project {@code projects.id} of the caller
   * @param client whose leaving interrupts the work
   * @throws ApiException what the work throws; the refusal if too many requests wait already; 499
   *     if the client has left
   */
  public <T> T run(long key, long project, ClientPresence client, Supplier<T> work) {
    FutureTask<T> result = submit(key, project, work);
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
      result.cancel(true);
    }
  }

  /**
   * Does the work on one of the threads and waits for it for a bounded time. Work that takes longer
   * is finished for later requests.
   *
   * @param key {@code api_keys.id} of the caller
   * @param project {@code projects.id} of the caller
   * @return empty if it was not done in time
   * @throws ApiException what the work throws; the refusal if too many requests wait already
   */
  public <T> Optional<T> runWithin(Duration timeout, long key, long project, Supplier<T> work) {
    try {
      return Optional.of(submit(key, project, work).get(timeout.toNanos(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } catch (ExecutionException e) {
      throw failure(e);
    }
  }

  private <T> FutureTask<T> submit(long key, long project, Supplier<T> work) {
    CallerShares.Held place = places.open(key, project);
    if (place.acquire() != null) {
      throw refusal.get();
    }
    FutureTask<T> task = new FutureTask<>(() -> workInTurn(key, project, work));
    try {
      threads.execute(
          () -> {
            // Work that is cancelled has its place until it ends.
            try (place) {
              task.run();
            }
          });
    } catch (RejectedExecutionException e) {
      place.close();
      throw refusal.get();
    }
    return task;
  }

  private <T> T workInTurn(long key, long project, Supplier<T> work) {
    try (CallerShares.Held turn = working.open(key, project)) {
      if (turn.acquire() != null) {
        throw refusal.get(); // the gateway stops, unless the client has left
      }
      return work.get();
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

  /** Number of requests of a project that wait or run here. */
  int waitingOrRunning(long project) {
    return places.heldBy(project);
  }

  /** Interrupts what is under way. */
  public void close() {
    threads.shutdownNow();
  }
}
