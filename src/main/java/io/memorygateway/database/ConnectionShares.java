package io.memorygateway.database;

import static java.util.Objects.requireNonNull;

import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many connections of the pool one project holds at a time, and how many the writes to
 * one thread, which exclude each other anyway. Whoever is over waits without a connection, so that
 * a locked thread stops nobody else; too many, or for too long, are refused.
 */
public final class ConnectionShares {
  /** One that works, and one that is next. */
  private static final int WRITES_TO_A_THREAD = 2;

  private static final int MOST_WAITING = 128;
  private static final long WAIT_FOR_THREAD_MILLIS = 3000;
  private static final long WAIT_FOR_PROJECT_MILLIS = 1000;

  private final int ofProject;
  private final ConcurrentMap<Object, Share> shares = new ConcurrentHashMap<>();

  // There is one of this class in a node, and no static state.
  @SuppressWarnings("ThreadLocalUsage")
  private final ThreadLocal<@Nullable Owner> owner = new ThreadLocal<>();

  private final CounterDataPoint refusedToThread;
  private final CounterDataPoint refusedToProject;

  /**
   * Shares of a pool.
   *
   * @param poolSize connections of the pool; a project gets half of them
   */
  public ConnectionShares(int poolSize, PrometheusRegistry registry) {
    this.ofProject = Math.max(1, poolSize / 2);
    Counter refusals =
        Counter.builder()
            .name("memory_gateway_connection_refusals_total")
            .help("Requests refused because others of their project or thread use its connections.")
            .labelNames("share")
            .register(registry);
    this.refusedToThread = refusals.labelValues("thread");
    this.refusedToProject = refusals.labelValues("project");
  }

  /** A thread of a project, by the id that clients see. */
  private record ThreadKey(long project, String threadId) {}

  /** Whom connections are counted for; a null thread means none in particular. */
  private static final class Owner {
    private final long project;
    private final @Nullable ThreadKey thread;
    private boolean holding;

    Owner(long project, @Nullable ThreadKey thread) {
      this.project = project;
      this.thread = thread;
    }
  }

  /** Until it is closed, what the current thread does is on somebody's account. */
  @FunctionalInterface
  public interface Account {
    void close();
  }

  /**
   * Counts what the current thread does from now on.
   *
   * @param threadId the id that clients see, or null
   */
  public Account open(long projectId, @Nullable String threadId) {
    Owner before = owner.get();
    owner.set(new Owner(projectId, threadId == null ? null : new ThreadKey(projectId, threadId)));
    return () -> {
      if (before == null) {
        owner.remove();
      } else {
        owner.set(before);
      }
    };
  }

  /**
   * Does a piece of work that takes a connection.
   *
   * @param writes whether it locks the thread
   * @throws ApiException 503 if there is no share to be had
   */
  <T> T use(boolean writes, Supplier<T> work) {
    Owner user = owner.get();
    if (user == null || user.holding) {
      return work.get();
    }
    user.holding = true;
    try {
      Supplier<T> withProject =
          () -> within(user.project, ofProject, WAIT_FOR_PROJECT_MILLIS, refusedToProject, work);
      return user.thread == null || !writes
          ? withProject.get()
          : within(
              user.thread,
              WRITES_TO_A_THREAD,
              WAIT_FOR_THREAD_MILLIS,
              refusedToThread,
              withProject);
    } finally {
      user.holding = false;
    }
  }

  private <T> T within(
      Object key, int most, long waitMillis, CounterDataPoint refusals, Supplier<T> work) {
    Share share =
        requireNonNull(
            shares.compute(
                key, (same, there) -> (there == null ? new Share(most) : there).entered()));
    try {
      if (!share.acquire(waitMillis)) {
        refusals.inc();
        throw new ApiException(
            ApiError.unavailable(
                "Too many requests of the same thread or project wait for the store; try again.",
                1));
      }
      try {
        return work.get();
      } finally {
        share.permits.release();
      }
    } finally {
      shares.computeIfPresent(key, (same, there) -> there.left());
    }
  }

  /** How many projects and threads are at work. */
  int size() {
    return shares.size();
  }

  /** Permits, and how many use or want them; counted only inside the map's own locks. */
  private static final class Share {
    private final Semaphore permits;
    private int users;

    Share(int most) {
      permits = new Semaphore(most, true);
    }

    Share entered() {
      users++;
      return this;
    }

    @Nullable Share left() {
      return --users == 0 ? null : this;
    }

    boolean acquire(long millis) {
      if (permits.tryAcquire()) {
        return true;
      }
      if (permits.getQueueLength() >= MOST_WAITING) {
        return false;
      }
      try {
        return permits.tryAcquire(millis, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }
}
