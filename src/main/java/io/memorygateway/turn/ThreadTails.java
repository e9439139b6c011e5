package io.memorygateway.turn;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.concurrent.GroupCommit;
import io.memorygateway.memory.Messages;
import io.memorygateway.memory.ThreadName;
import io.memorygateway.memory.Transactions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The ends of threads as turns need them. What was read is kept as long as the thread's version is
 * the same, which the database is asked for every time: another node's turn is seen at once. Those
 * who ask at the same time ask together.
 */
final class ThreadTails {
  /** Bytes that are kept, about. */
  private static final long MOST_KEPT = 128L << 20;

  private static final int MOST_ASKED = 256;

  private final Transactions transactions;
  private final Cache<ThreadName, Loaded> kept =
      Caffeine.newBuilder()
          .maximumWeight(MOST_KEPT)
          .weigher(
              (ThreadName name, Loaded loaded) ->
                  (int) Math.min(loaded.tail().weight(), Integer.MAX_VALUE))
          .build();
  private final GroupCommit<Asked> asking = new GroupCommit<>(MOST_ASKED, this::askAll);

  ThreadTails(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * A thread and its end.
   *
   * @param thread {@code threads.id}
   * @param version of the thread, that this is the end of
   */
  record Loaded(long thread, String resourceId, long version, ThreadTail tail) {}

  private static final class Asked {
    private final long thread;
    private @Nullable Long version;

    Asked(long thread) {
      this.thread = thread;
    }
  }

  /** The thread as it is now; nothing, if there is none. */
  Optional<Loaded> load(ThreadName name) {
    Loaded known = kept.getIfPresent(name);
    if (known != null) {
      Asked asked = new Asked(known.thread());
      asking.perform(asked);
      if (asked.version != null && asked.version == known.version()) {
        return Optional.of(known);
      }
    }
    Optional<Loaded> read =
        transactions.readOn(connection -> ThreadTailQuery.run(connection, name));
    read.ifPresent(loaded -> kept.put(name, loaded));
    return read;
  }

  /**
   * Takes note of a turn, so that the next one need not read it.
   *
   * @param before as the turn found the thread
   */
  void appended(ThreadName name, Loaded before, Messages.Appended turn) {
    if (turn.thread().version() == before.version() + 1) {
      kept.put(
          name,
          new Loaded(
              before.thread(),
              before.resourceId(),
              turn.thread().version(),
              before.tail().with(turn.messages())));
    }
  }

  private void askAll(List<Asked> all) {
    TreeSet<Long> threads = new TreeSet<>();
    all.forEach(asked -> threads.add(asked.thread));
    Map<Long, Long> versions =
        transactions.readForMany(connection -> ThreadTailQuery.versions(connection, threads));
    all.forEach(asked -> asked.version = versions.get(asked.thread));
  }
}
