package io.memorygateway.http.admission;

import io.memorygateway.concurrent.DaemonThreads;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorCatalogue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A few platform threads for work of requests that takes long. A virtual thread is not preempted:
 * there, a few such requests would hold all carriers, and with them every request of the node. Of
 * the threads, and of the places to wait for one, a key has at most half, and a project three
 * quarters. Keys that wait take turns.
 */
public final class DedicatedThreads {
  private final ExecutorService threads;
  private final int maxThreads;
  private final int maxWaiting;
  private final Supplier<? extends ApiException> refusal;

  /** In the order of their turns; guards both lists. */
  private final List<Task<?>> waiting = new ArrayList<>();

  private final List<Task<?>> running = new ArrayList<>();

  /**
   * Creates threads that start when they are needed.
   *
   * @param name of each of them
   * @param maxWaiting requests that wait
   * @param refusal thrown where too many wait, and where the gateway stops
   */
  public DedicatedThreads(
      String name, int maxThreads, int maxWaiting, Supplier<? extends ApiException> refusal) {
    this.threads = Executors.newCachedThreadPool(DaemonThreads.named(name));
    this.maxThreads = maxThreads;
    this.maxWaiting = maxWaiting;
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
    Task<T> result = submit(key, project, work);
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

  /** Work of one request, which waits or runs. */
  private final class Task<T> extends FutureTask<T> {
    private final long key;
    private final long project;

    private Task(long key, long project, Supplier<T> work) {
      super(work::get);
      this.key = key;
      this.project = project;
    }

    /** Runs on a thread, which also work that is cancelled holds until it ends. */
    private void runAndLeave() {
      try {
        run();
      } finally {
        leave(running, this);
      }
    }

    @Override
    protected void done() {
      leave(waiting, this); // if it was cancelled there
    }
  }

  private <T> Task<T> submit(long key, long project, Supplier<T> work) {
    Task<T> task = new Task<>(key, project, work);
    synchronized (waiting) {
      // Whoever is to run at once stands there, too, for a moment.
      waiting.add(task);
      begin();
      if (waiting.contains(task) && (threads.isShutdown() || exceeds(waiting, maxWaiting, task))) {
        waiting.remove(task);
        throw refusal.get();
      }
    }
    return task;
  }

  private static RuntimeException failure(ExecutionException e) {
    if (e.getCause() instanceof CancellationException) {
      return new ApiException(ErrorCatalogue.forStatus(499));
    }
    return e.getCause() instanceof RuntimeException failure
        ? failure
        : new IllegalStateException(e.getCause());
  }

  private void leave(List<Task<?>> place, Task<?> task) {
    synchronized (waiting) {
      place.remove(task);
      begin();
    }
  }

  private void begin() {
    for (Task<?> next = next(); next != null; next = next()) {
      Task<?> begun = next;
      waiting.remove(begun);
      running.add(begun);
      waiting.sort(
          Comparator.comparing((Task<?> task) -> task.project == begun.project)
              .thenComparing(task -> task.key == begun.key));
      threads.execute(begun::runAndLeave);
    }
  }

  private @Nullable Task<?> next() {
    for (Task<?> task : threads.isShutdown() ? List.<Task<?>>of() : waiting) {
      running.add(task);
      boolean fits = !exceeds(running, maxThreads, task);
      running.remove(task);
      if (fits) {
        return task;
      }
    }
    return null;
  }

  /** Whether tasks, the last one among them, are more than there may be. */
  private static boolean exceeds(List<Task<?>> tasks, int most, Task<?> last) {
    return tasks.size() > most
        || tasks.stream().filter(task -> task.key == last.key).count() > Math.max(1, most / 2)
        || tasks.stream().filter(task -> task.project == last.project).count()
            > Math.max(1, most - (most + 3) / 4);
  }

  /** Number of requests of a project that wait or run here. */
  int waitingOrRunning(long project) {
    synchronized (waiting) {
      return (int)
          Stream.concat(waiting.stream(), running.stream())
              .filter(task -> task.project == project)
              .count();
    }
  }

  /** Interrupts what is under way. */
  public void close() {
    threads.shutdownNow();
  }
}
