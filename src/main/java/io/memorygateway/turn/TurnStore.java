package io.memorygateway.turn;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.ConnectionShares;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.rows.Appended;
import io.memorygateway.memory.rows.NotFound;
import io.memorygateway.memory.rows.ThreadName;
import io.memorygateway.memory.write.Appends;
import io.memorygateway.memory.write.Threads;
import io.memorygateway.memory.write.TurnWrite;
import io.memorygateway.observation.StateDao;
import io.memorygateway.observation.ThreadConfig;
import io.memorygateway.search.Search;
import java.time.Duration;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the threads of turns, and stores turns that have ended. */
final class TurnStore {
  private static final Logger LOGGER = LoggerFactory.getLogger(TurnStore.class);

  private final Transactions transactions;
  private final Threads threads;
  private final Appends appends;
  private final ThreadTails tails;
  private final Search search;
  private final HandedEnds ends;
  private final StorageLimit storage;
  private final TurnMetrics metrics;
  private final MemoryConfiguration configuration;

  /**
   * @param tails the cache to which stored turns are added, as to what is searched
   * @param ends of turns that were handed on
   */
  TurnStore(
      MemoryModule memory,
      ThreadTails tails,
      Search search,
      HandedEnds ends,
      TurnMetrics metrics,
      MemoryConfiguration configuration) {
    this.transactions = memory.transactions();
    this.threads = memory.threads();
    this.appends = memory.appends();
    this.tails = tails;
    this.search = search;
    this.ends = ends;
    this.storage = memory.storageLimit();
    this.metrics = metrics;
    this.configuration = configuration;
  }

  /**
   * Creates the thread of a turn, and gives its {@code threads.id}. If two callers create it at
   * once, it belongs to one of them, and the other gets 404 if their resources differ.
   *
   * @param aside whether it is no conversation, and is not quoted in others
   */
  long create(Caller caller, String threadId, String resourceId, boolean aside) {
    try {
      LongSupplier rows = threads.newRow(caller);
      return transactions.write(
          handle -> {
            Threads.Created made =
                threads.create(handle, caller, rows, threadId, resourceId, null, null);
            if (made.isNew() && aside) {
              handle.attach(StateDao.class).configure(made.thread().id(), ThreadConfig.ASIDE);
            }
            return made.thread().id();
          });
    } catch (ApiException e) {
      throw e.error().status() == 409 ? NotFound.thread() : e;
    }
  }

  /** Reports a turn that is not stored because its answer is too long. */
  MemoryStatus tooLong() {
    LOGGER.warn("A turn is not stored: its answer is too long to be kept");
    metrics.tooLong();
    return MemoryStatus.BYPASSED;
  }

  /** Reports a turn that is not stored because there is no heap for its answer. */
  MemoryStatus heapExhausted() {
    LOGGER.warn("A turn is not stored: this node has no room to keep its answer");
    metrics.heapExhausted();
    return MemoryStatus.BYPASSED;
  }

  /**
   * Stores a turn.
   *
   * @param readable whether all of its answer was read; else less is stored than the client got
   * @param end takes the thread's next seq behind it
   * @return off, if the thread was deleted meanwhile
   */
  MemoryStatus commit(
      ThreadTurn.Target target, TurnWrite turn, boolean readable, LongConsumer end) {
    MemoryStatus stored = readable ? MemoryStatus.STORED : MemoryStatus.BYPASSED;
    boolean completes = turn.complete() && !turn.interrupted().isEmpty();
    if (turn.messages().isEmpty() && !completes) {
      return stored;
    }
    long start = System.nanoTime();
    ConnectionShares.Account account =
        transactions.accountOf(target.caller().projectId(), target.threadId(), Duration.ZERO);
    try {
      end.accept(store(target, turn));
      metrics.stored(System.nanoTime() - start, readable);
      return stored;
    } catch (ApiException e) {
      if (e.error().status() == 404) {
        return MemoryStatus.OFF;
      }
      if (configuration.bypasses(e)) {
        metrics.bypassed();
        return MemoryStatus.BYPASSED;
      }
      metrics.failed();
      throw e;
    } finally {
      account.close();
    }
  }

  private long store(ThreadTurn.Target target, TurnWrite turn) {
    Appended appended = appends.append(target.caller(), target.threadId(), target.thread(), turn);
    storage.count(target.caller().projectId(), appended.messages());
    TailHead before = target.before();
    // A second attempt adds less, to what the first one has stored and this node does not know.
    boolean isAllAdded = appended.messages().size() == turn.messages().size();
    if (before != null && turn.onlyAdds() && isAllAdded) {
      tails.appended(ThreadName.of(target.caller(), target.threadId()), before, appended);
      search.added(target.thread(), appended.messages());
    }
    return appended.thread().nextSeq();
  }

  void handedOn(long thread, long end) {
    ends.add(thread, end, HandedEnds.State.HANDED_ON);
  }
}
