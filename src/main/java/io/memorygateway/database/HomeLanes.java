package io.memorygateway.database;

import io.memorygateway.concurrent.DaemonThreads;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work on homes that is done again and again and must not be late, in a lane for each: a home that
 * is away, or slow, keeps no other from its turn.
 */
public final class HomeLanes {
  private static final Logger LOGGER = LoggerFactory.getLogger(HomeLanes.class);

  /** Lanes that share turns and work on a home at a time: one that lasts keeps no other waiting. */
  private static final int AT_A_TIME = 2;

  private final String failure;
  private final Executor threads;
  private final Set<Home> busy = ConcurrentHashMap.newKeySet();
  private final Map<Home, FailuresInARow> failures = new ConcurrentHashMap<>();
  private final Map<Home, Semaphore> turns;

  /**
   * Creates lanes without work, which have nothing to do with others.
   *
   * @param threads name of their threads, of which there are as many as homes have work at a time
   * @param failure what is logged of work that fails, such as "Claims could not be renewed"
   */
  public HomeLanes(String threads, String failure) {
    this(threads, failure, new ConcurrentHashMap<>());
  }

  /**
   * Creates lanes without work, of which two of those that share the turns work on a home at a
   * time.
   */
  HomeLanes(String threads, String failure, Map<Home, Semaphore> turns) {
    this(DaemonThreads.pool(threads, Integer.MAX_VALUE), failure, turns);
  }

  HomeLanes(Executor threads, String failure, Map<Home, Semaphore> turns) {
    this.threads = threads;
    this.failure = failure;
    this.turns = turns;
  }

  /**
   * Begins work again and again, whatever becomes of it.
   *
   * @param begin calls {@link #begin}
   */
  public ScheduledFuture<?> repeat(
      ScheduledExecutorService clock, long millis, Supplier<CompletableFuture<Void>> begin) {
    return clock.scheduleWithFixedDelay(
        () -> {
          try {
            var unused = begin.get();
          } catch (RuntimeException | Error e) {
            LOGGER.warn("{}; the next run will try again", failure, e);
          }
        },
        millis,
        millis,
        TimeUnit.MILLISECONDS);
  }

  /**
   * Begins work on each home that there are items of, but where what was begun before still lasts.
   *
   * @param id some id of an item that carries its home
   * @return ends with what was begun
   */
  public <T> CompletableFuture<Void> begin(
      Collection<T> items, ToLongFunction<T> id, Consumer<List<T>> work) {
    List<CompletableFuture<Void>> begun = new ArrayList<>();
    for (List<T> ofHome : Home.groups(List.copyOf(items), id)) {
      Home home = Home.of(id.applyAsLong(ofHome.get(0)));
      if (busy.add(home)) {
        begun.add(begin(home, () -> work.accept(ofHome)));
      }
    }
    return CompletableFuture.allOf(begun.toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<Void> begin(Home home, Runnable work) {
    try {
      return CompletableFuture.runAsync(() -> inTurn(home, work), threads)
          .whenComplete((done, thrown) -> ended(home, thrown));
    } catch (RuntimeException | Error e) {
      // No thread can be started.
      ended(home, e);
      return CompletableFuture.failedFuture(e);
    }
  }

  private void inTurn(Home home, Runnable work) {
    Semaphore turn = turns.computeIfAbsent(home, unused -> new Semaphore(AT_A_TIME, true));
    turn.acquireUninterruptibly();
    try {
      work.run();
    } finally {
      turn.release();
    }
  }

  private void ended(Home home, @Nullable Throwable thrown) {
    try {
      FailuresInARow row = failures.computeIfAbsent(home, unused -> new FailuresInARow());
      if (thrown == null) {
        row.end();
      } else if (row.isWorthALine()) {
        Throwable cause = Objects.requireNonNullElse(thrown.getCause(), thrown);
        LOGGER.warn("{}; the next run will try again: {}", failure, cause.toString());
      }
    } finally {
      busy.remove(home);
    }
  }
}
