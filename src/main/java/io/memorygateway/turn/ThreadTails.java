package io.memorygateway.turn;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.auth.Caller;
import io.memorygateway.concurrent.GroupCommit;
import io.memorygateway.database.Deadline;
import io.memorygateway.database.Home;
import io.memorygateway.database.Transactions;
import io.memorygateway.json.Characters;
import io.memorygateway.memory.rows.Appended;
import io.memorygateway.memory.rows.LastCall;
import io.memorygateway.memory.rows.ThreadName;
import io.memorygateway.observation.ContextConfig;
import io.memorygateway.observation.ContextNotes;
import io.memorygateway.observation.ContextSettings;
import io.memorygateway.observation.ThreadConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Cache of thread tails, valid while the thread's version is unchanged. Every load asks the
 * database for the version, so that another node's turn is seen immediately; concurrent loads share
 * one query.
 */
final class ThreadTails {
  private static final int MAX_BATCH = 64;

  /** Heap for each byte of content: in the driver, as text, in its parts, as it is sent. */
  private static final int HEAP_PER_BYTE = 6;

  /**
   * Bytes of a turn; a larger one is not added to the cached tail, which is then read again with
   * heap reserved for it.
   */
  private static final long MAX_APPENDED_BYTES = 1 << 20;

  private static final long NO_THREAD = 0;

  private final Transactions transactions;
  private final ContextSettings settings;
  private final Cache<ThreadName, Loaded> cache;

  /** By homes: where one cannot be asked, the others can. */
  private final Map<Home, GroupCommit<TailRequest>> asking = new ConcurrentHashMap<>();

  /**
   * @param settings decides the configuration in force for threads
   * @param cachedBytes approximate bound
   */
  ThreadTails(Transactions transactions, ContextSettings settings, long cachedBytes) {
    this.transactions = transactions;
    this.settings = settings;
    this.cache =
        Caffeine.newBuilder()
            .maximumWeight(cachedBytes)
            .weigher(
                (ThreadName name, Loaded loaded) ->
                    (int) Math.min(name.weight() + loaded.tail().weight(), Integer.MAX_VALUE))
            .build();
  }

  /**
   * A thread and its tail.
   *
   * @param head with the version that the tail is of
   * @param observedSeq seq of the last message that is observed; -1 for none
   */
  record Loaded(TailHead head, ThreadTail tail, long observedSeq) {
    /** The tail, with what is known of a resource if one is given. */
    ThreadTail tail(@Nullable String resourceId) {
      return resourceId == null ? tail.alone() : tail;
    }
  }

  private static final class TailRequest {
    private final ThreadName name;
    private final TailHead head;
    private final Deadline deadline;
    private TailHead.@Nullable State state;

    TailRequest(ThreadName name, TailHead head, Deadline deadline) {
      this.name = name;
      this.head = head;
      this.deadline = deadline;
    }
  }

  /**
   * The thread as it is now; empty if it does not exist.
   *
   * @param projectName of the thread's project
   * @param heap reserves so many bytes before they are read or allocated; no connection is held
   *     while it waits
   */
  Optional<Loaded> load(ThreadName name, String projectName, LongConsumer heap) {
    Loaded known = cache.getIfPresent(name);
    if (known != null) {
      TailRequest asked = new TailRequest(name, known.head(), transactions.deadline());
      asking
          .computeIfAbsent(
              Home.of(known.head().thread()), home -> new GroupCommit<>(MAX_BATCH, this::askAll))
          .perform(asked);
      if (known.head().holdsAt(asked.state)) {
        heap.accept(HEAP_PER_BYTE * known.tail().bytes());
        return Optional.of(known);
      }
    }
    Optional<TailOutline> outline =
        transactions.read(
            handle -> ThreadTailQuery.run(handle.getConnection(), name, projectName, settings));
    if (outline.isEmpty()) {
      return Optional.empty();
    }
    heap.accept(HEAP_PER_BYTE * outline.get().bytes());
    Loaded loaded =
        new Loaded(outline.get().head(), tail(outline.get(), heap), outline.get().observedSeq());
    cache.put(name, loaded);
    return Optional.of(loaded);
  }

  /**
   * The tail of a thread that does not exist yet.
   *
   * @param resourceId whose record it is given; null for none
   */
  ThreadTail ofNewThread(Caller caller, @Nullable String resourceId) {
    String project = caller.projectName();
    ContextConfig config = settings.of(project, ThreadConfig.NONE);
    int tokens = settings.resourceTokens(project);
    KnownQuery query =
        resourceId == null ? null : new KnownQuery(caller.projectId(), resourceId, tokens);
    return query == null || query.isOff(config)
        ? ThreadTail.empty(config)
        : ThreadTail.empty(
            config,
            transactions.read(
                handle ->
                    query
                        .read(handle.getConnection(), NO_THREAD, null)
                        .addTo(ContextNotes.NONE, config)));
  }

  private ThreadTail tail(TailOutline outline, LongConsumer heap) {
    long thread = outline.head().thread();
    return outline.tail(
        (first, last) ->
            transactions.read(
                handle -> ThreadTailQuery.contents(handle.getConnection(), thread, first, last)),
        heap);
  }

  /**
   * Adds a stored turn to the cached tail, so that the next turn need not read it.
   *
   * @param before the thread as the turn found it
   */
  void appended(ThreadName name, TailHead before, Appended turn) {
    Loaded known = cache.getIfPresent(name);
    if (known != null
        && known.head().equals(before)
        && turn.thread().version() == before.version() + 1) {
      if (bytes(turn) > MAX_APPENDED_BYTES) {
        cache.invalidate(name);
        return;
      }
      LastCall last = turn.thread().lastCall();
      TailHead after =
          new TailHead(
              before.thread(),
              before.resourceId(),
              turn.thread().version(),
              before.known(),
              last == null ? null : last.asRead());
      cache.put(name, new Loaded(after, known.tail().with(turn.messages()), known.observedSeq()));
    }
  }

  private static long bytes(Appended turn) {
    return turn.messages().stream()
        .mapToLong(message -> Characters.utf8Length(message.content()))
        .sum();
  }

  private void askAll(List<TailRequest> all) {
    Set<Long> threads = new TreeSet<>();
    Map<Long, KnownQuery.Resource> resources = new HashMap<>();
    for (TailRequest asked : all) {
      threads.add(asked.head.thread());
      if (asked.head.known() != null) {
        resources.put(
            asked.head.thread(),
            new KnownQuery.Resource(asked.name.projectId(), asked.head.resourceId()));
      }
    }
    Map<Long, TailHead.State> states =
        transactions.readForMany(
            Deadline.earliest(all.stream().map(asked -> asked.deadline)),
            handle -> ThreadTailQuery.states(handle.getConnection(), threads, resources));
    all.forEach(asked -> asked.state = states.get(asked.head.thread()));
  }
}
