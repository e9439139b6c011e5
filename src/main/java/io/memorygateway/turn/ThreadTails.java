package io.memorygateway.turn;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.concurrent.GroupCommit;
import io.memorygateway.database.Deadline;
import io.memorygateway.database.Transactions;
import io.memorygateway.json.Characters;
import io.memorygateway.memory.Messages;
import io.memorygateway.memory.ThreadName;
import io.memorygateway.observation.ContextSettings;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The ends of threads as turns need them. What was read is cached as long as the thread's version
 * is the same, which the database is asked for every time: another node's turn is seen at once.
 * Those who ask at the same time ask together.
 */
final class ThreadTails {
  private static final int MOST_ASKED = 256;

  /** Heap for each byte of content: of the driver, as text, in its parts, as it is sent. */
  private static final int COST = 6;

  /** Bytes of a turn that is not cached: it is read again, with heap reserved for it. */
  private static final long MOST_APPENDED = 1 << 20;

  private final Transactions transactions;
  private final ContextSettings settings;
  private final Cache<ThreadName, Loaded> cache;
  private final GroupCommit<Asked> asking = new GroupCommit<>(MOST_ASKED, this::askAll);

  /**
   * Ends of threads.
   *
   * @param settings what is in force for threads
   * @param cachedBytes about
   */
  ThreadTails(Transactions transactions, ContextSettings settings, long cachedBytes) {
    this.transactions = transactions;
    this.settings = settings;
    this.cache =
        Caffeine.newBuilder()
            .maximumWeight(cachedBytes)
            .weigher(
                (ThreadName name, Loaded loaded) ->
                    (int) Math.min(loaded.tail().weight(), Integer.MAX_VALUE))
            .build();
  }

  /**
   * A thread as a turn finds it.
   *
   * @param thread {@code threads.id}
   */
  record Head(long thread, String resourceId, long version) {}

  /**
   * A thread and its end.
   *
   * @param head with the version that this is the end of
   * @param observedSeq seq of the last message that is observed; -1 for none
   */
  record Loaded(Head head, ThreadTail tail, long observedSeq) {}

  private static final class Asked {
    private final long thread;
    private final Deadline deadline;
    private @Nullable Long version;

    Asked(long thread, Deadline deadline) {
      this.thread = thread;
      this.deadline = deadline;
    }
  }

  /**
   * The thread as it is now; nothing, if there is none.
   *
   * @param projectName of the thread's project
   * @param heap reserves so many bytes before they are read or made; no connection is held while
   *     there is no room for them
   */
  Optional<Loaded> load(ThreadName name, String projectName, LongConsumer heap) {
    Loaded known = cache.getIfPresent(name);
    if (known != null) {
      Asked asked = new Asked(known.head().thread(), transactions.deadline());
      asking.perform(asked);
      if (asked.version != null && asked.version == known.head().version()) {
        heap.accept(COST * known.tail().bytes());
        return Optional.of(known);
      }
    }
    Optional<TailOutline> outline =
        transactions.readOn(
            connection -> ThreadTailQuery.run(connection, name, projectName, settings));
    if (outline.isEmpty()) {
      return Optional.empty();
    }
    heap.accept(COST * outline.get().bytes());
    Loaded loaded =
        new Loaded(outline.get().head(), tail(outline.get(), heap), outline.get().observedSeq());
    cache.put(name, loaded);
    return Optional.of(loaded);
  }

  private ThreadTail tail(TailOutline outline, LongConsumer heap) {
    long thread = outline.head().thread();
    return outline.tail(
        (first, last) ->
            transactions.readOn(
                connection -> ThreadTailQuery.contents(connection, thread, first, last)),
        heap);
  }

  /**
   * Takes note of a turn, so that the next one need not read it.
   *
   * @param before as the turn found the thread
   */
  void appended(ThreadName name, Head before, Messages.Appended turn) {
    Loaded known = cache.getIfPresent(name);
    if (known != null
        && known.head().equals(before)
        && turn.thread().version() == before.version() + 1) {
      if (bytes(turn) > MOST_APPENDED) {
        cache.invalidate(name);
        return;
      }
      Head after = new Head(before.thread(), before.resourceId(), turn.thread().version());
      cache.put(name, new Loaded(after, known.tail().with(turn.messages()), known.observedSeq()));
    }
  }

  private static long bytes(Messages.Appended turn) {
    return turn.messages().stream()
        .mapToLong(message -> Characters.utf8Length(message.content()))
        .sum();
  }

  private void askAll(List<Asked> all) {
    TreeSet<Long> threads = new TreeSet<>();
    all.forEach(asked -> threads.add(asked.thread));
    Map<Long, Long> versions =
        transactions.readForMany(
            Deadline.earliest(all.stream().map(asked -> asked.deadline)),
            connection -> ThreadTailQuery.versions(connection, threads));
    all.forEach(asked -> asked.version = versions.get(asked.thread));
  }
}
