package io.memorygateway.database;

import io.memorygateway.concurrent.DaemonThreads;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
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

  private final String failure;
  private final Executor threads;
  private final Set<Home> busy = ConcurrentHashMap.newKeySet();
  private final Map<Home, FailuresInARow> failures = new ConcurrentHashMap<>();

  /**
   * Creates lanes without work.
   *
   * @param threads name of their threads, of which there are as many as homes have work at a time
   * @param failure what is logged of work that fails, such as "Claims could not be renewed"
   */
  public HomeLanes(String threads, String failure) {
    this.threads = Executors.newCachedThreadPool(DaemonThreads.named(threads));
    this.failure = failure;
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
        begun.add(
            CompletableFuture.runAsync(() -> work.accept(ofHome), threads)
                .whenComplete((done, thrown) -> ended(home, thrown)));
      }
    }
    return CompletableFuture.allOf(begun.toArray(CompletableFuture<?>[]::new));
  }

  private void ended(Home home, @Nullable Throwable thrown) {
    FailuresInARow row = failures.computeIfAbsent(home, unused -> new FailuresInARow());
    if (thrown == null) {
      row.end();
    } else if (row.isWorthALine()) {
      LOGGER.warn(
          "{}; the next run will try again: {}", failure, String.valueOf(thrown.getCause()));
    }
    busy.remove(home);
  }
}
