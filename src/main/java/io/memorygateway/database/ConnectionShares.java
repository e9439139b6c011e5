package io.memorygateway.database;

import io.memorygateway.concurrent.Shares;
import io.memorygateway.http.errors.ApiException;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many connections of the pool one project holds at a time, how many all projects of a
 * home, whose shard may hang, and how many the writes to one thread, which exclude each other
 * anyway. Work over its share waits without a connection, so that a locked thread blocks nobody
 * else. It is refused if too many wait, or if it waits too long: writes to one thread after three
 * seconds, requests of one project when their time for the database ends; and at once if its home
 * has not answered for a second and another one has had work here, since what waits also takes of
 * what the node works at. Also adds up how long a request has waited for the database, so that all
 * of its waits together are bounded.
 */
public final class ConnectionShares {
  /** One that works, and the next one. */
  private static final int WRITES_PER_THREAD = 2;

  private static final int MAX_WAITING = 128;
  private static final long WAIT_FOR_THREAD_MILLIS = 3000;

  /**
   * Time that a request may wait for the database, including the checks of its key and rate limits;
   * equal to the driver's timeout of an answer in config.yml.
   */
  static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);

  /** Time left to a request whose time is up, so that a working database still serves it. */
  private static final Duration MIN_TIME = Duration.ofSeconds(1);

  /** Time reserved while a share is waited for: the longest that a new connection takes. */
  private static final long CONNECTING_MILLIS = 3000;

  /** Time without an answer after which a home is not waited for. */
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final int poolSize;
  private final int ofProject;
  private final LongSupplier nanoTime;

  /** Homes whose projects had work here: each has its part of the pool. */
  private final Map<Home, HomeWork> homes = new ConcurrentHashMap<>();

  private final Shares shares = new Shares(MAX_WAITING);

  // There is one of this class in a node, and no static state.
  @SuppressWarnings("ThreadLocalUsage")
  private final ThreadLocal<@Nullable Owner> owner = new ThreadLocal<>();

  private final CounterDataPoint refusedToThread;
  private final CounterDataPoint refusedToProject;
  private final CounterDataPoint refusedToNode;

  /**
   * Creates the shares of a pool.
   *
   * @param poolSize connections of the pool; a project gets half of them
   */
  public ConnectionShares(int poolSize, PrometheusRegistry registry) {
    this(poolSize, registry, System::nanoTime);
  }

  ConnectionShares(int poolSize, PrometheusRegistry registry, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.poolSize = poolSize;
    this.ofProject = Math.max(1, poolSize / 2);
    Counter refusals =
        Counter.builder()
            .name("memory_gateway_connection_refusals_total")
            .help(
                "Requests refused because others of their thread, project or node use its"
                    + " connections.")
            .labelNames("share")
            .register(registry);
    this.refusedToThread = refusals.labelValues("thread");
    this.refusedToProject = refusals.labelValues("project");
    this.refusedToNode = refusals.labelValues("node");
  }

  /** What a home is asked, and since when it has not answered. */
  private static final class HomeWork {
    private int inWork;
    private long since;

    synchronized void begin(long now) {
      if (inWork++ == 0) {
        since = now;
      }
    }

    synchronized void end(long begun, long now, boolean answered) {
      inWork--;
      if (answered || now - begun < SILENT_NANOS) {
        since = now;
      }
    }

    synchronized boolean isSilent(long now) {
      return inWork > 0 && now - since > SILENT_NANOS;
    }
  }

  /** A thread of a project, by the id that clients see. */
  private record ThreadKey(long project, String threadId) {}

  /**
   * Project and thread that connections are counted for; a null thread means none in particular.
   */
  private static final class Owner {
    private final long project;
    private final @Nullable ThreadKey thread;
    private long spentNanos;
    private boolean holding;

    Owner(long project, @Nullable ThreadKey thread, Duration spent) {
      this.project = project;
      this.thread = thread;
      this.spentNanos = spent.toNanos();
    }
  }

  /** Scope in which the current thread's work is counted for a project; ends when it is closed. */
  @FunctionalInterface
  public interface Account {
    void close();
  }

  /**
   * Counts what the current thread does from now on for a project.
   *
   * @param threadId the id that clients see, or null
   * @param spent part of the request's time for the database that is used up
   */
  public Account open(long projectId, @Nullable String threadId, Duration spent) {
    Owner before = owner.get();
    ThreadKey thread = threadId == null ? null : new ThreadKey(projectId, threadId);
    owner.set(new Owner(projectId, thread, spent));
    return () -> {
      if (before == null) {
        owner.remove();
      } else {
        owner.set(before);
      }
    };
  }

  /** Deadline of the next work of the current thread's request. */
  Deadline deadline() {
    Owner user = owner.get();
    Duration left =
        user == null ? REQUEST_TIMEOUT : REQUEST_TIMEOUT.minus(Duration.ofNanos(user.spentNanos));
    return Deadline.in(left.compareTo(MIN_TIME) < 0 ? MIN_TIME : left);
  }

  /** Does work like {@link #use}, by {@link #deadline}, and counts its time as spent. */
  <T> T spend(boolean writes, Function<Deadline, T> work) {
    Owner user = owner.get();
    Deadline deadline = deadline();
    long start = System.nanoTime();
    try {
      return use(writes, deadline, () -> work.apply(deadline));
    } finally {
      if (user != null && !user.holding) {
        user.spentNanos += System.nanoTime() - start;
      }
    }
  }

  /**
   * Does work that takes a connection.
   *
   * @param writes whether it locks the thread
   * @param deadline of the work, and of the wait for a share
   * @throws ApiException 503 if no share is free in time
   */
  <T> T use(boolean writes, Deadline deadline, Supplier<T> work) {
    Owner user = owner.get();
    if (user == null || user.holding) {
      return work.get();
    }
    user.holding = true;
    try {
      Supplier<T> withProject =
          () -> {
            HomeWork home = homes.computeIfAbsent(Home.of(user.project), of -> new HomeWork());
            boolean isSilent = homes.size() > 1 && home.isSilent(nanoTime.getAsLong());
            return within(
                isSilent ? 0 : waitMillis(Long.MAX_VALUE, deadline),
                refusedToProject,
                () -> asking(home, work),
                limits(user.project));
          };
      return user.thread == null || !writes
          ? withProject.get()
          : within(
              waitMillis(WAIT_FOR_THREAD_MILLIS, deadline),
              refusedToThread,
              withProject,
              new Shares.Limit(user.thread, WRITES_PER_THREAD));
    } finally {
      user.holding = false;
    }
  }

  private <T> T asking(HomeWork home, Supplier<T> work) {
    long begun = nanoTime.getAsLong();
    boolean answered = false;
    home.begin(begun);
    try {
      T result = work.get();
      answered = true;
      return result;
    } finally {
      home.end(begun, nanoTime.getAsLong(), answered);
    }
  }

  private Shares.Limit[] limits(long project) {
    Home home = Home.of(project);
    Shares.Limit own = new Shares.Limit(project, ofProject);
    int parts = homes.size();
    return parts == 1
        ? new Shares.Limit[] {own}
        : new Shares.Limit[] {own, new Shares.Limit(home, Math.max(1, poolSize / parts))};
  }

  private static long waitMillis(long max, Deadline deadline) {
    return Math.max(0, Math.min(max, deadline.millisLeft() - CONNECTING_MILLIS));
  }

  private <T> T within(
      long waitMillis, CounterDataPoint refusals, Supplier<T> work, Shares.Limit... limits) {
    try (Shares.Share share = shares.open(limits)) {
      if (share.acquire(TimeUnit.MILLISECONDS.toNanos(waitMillis)) != null) {
        refusals.inc();
        throw ApiException.unavailable(
            "Too many requests of the same thread or project wait for the store; try again.", 1);
      }
      return work.get();
    }
  }

  /** Counts a request that was refused because the whole pool was in use. */
  void refusedByPool() {
    refusedToNode.inc();
  }

  /** Returns how many projects and threads use or wait for connections. */
  int size() {
    return shares.holders();
  }
}
