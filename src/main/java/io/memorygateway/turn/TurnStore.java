package io.memorygateway.turn;

import io.memorygateway.database.ConnectionShares;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.rows.Appended;
import io.memorygateway.memory.rows.ThreadName;
import io.memorygateway.memory.write.Appends;
import io.memorygateway.memory.write.Threads;
import io.memorygateway.memory.write.TurnWrite;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stores turns that have ended. */
final class TurnStore {
  private static final Logger LOGGER = LoggerFactory.getLogger(TurnStore.class);

  private final Transactions transactions;
  private final Threads threads;
  private final Appends appends;
  private final ThreadTails tails;
  private final StorageLimit storage;
  private final TurnMetrics metrics;
  private final MemoryConfiguration configuration;

  /**
   * A store of ended turns.
   *
   * @param tails the cache to which stored turns are added
   */
  TurnStore(
      MemoryModule memory,
      ThreadTails tails,
      TurnMetrics metrics,
      MemoryConfiguration configuration) {
    this.transactions = memory.transactions();
    this.threads = memory.threads();
    this.appends = memory.appends();
    this.tails = tails;
    this.storage = memory.storageLimit();
    this.metrics = metrics;
    this.configuration = configuration;
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
   * @return off, if the thread was deleted meanwhile
   */
  MemoryStatus commit(ThreadTurn.Target target, TurnWrite turn) {
    if (turn.messages().isEmpty()) {
      return MemoryStatus.STORED;
    }
    long start = System.nanoTime();
    ConnectionShares.Account account =
        transactions.accountOf(target.caller().projectId(), target.threadId(), Duration.ZERO);
    try {
      store(target, turn);
      storage.count(target.caller().projectId(), turn.messages());
      metrics.stored(System.nanoTime() - start);
      return MemoryStatus.STORED;
    } catch (ApiException e) {
      if (e.error().status() == 404) {
        return MemoryStatus.OFF;
      }
      if (e.error().status() == 503 && configuration.bypasses()) {
        metrics.bypassed();
        return MemoryStatus.BYPASSED;
      }
      metrics.failed();
      throw e;
    } finally {
      account.close();
    }
  }

  private void store(ThreadTurn.Target target, TurnWrite turn) {
    Appended appended;
    try {
      appended = append(target, turn);
    } catch (ApiException e) {
      if (e.error().status() != 409 || turn.shared() == null) {
        throw e;
      }
      // An earlier attempt of the same call was stored meanwhile: this answer replaces it.
      appended = append(target, turn.unshared(threads::newId));
    }
    TailHead before = target.before();
    if (before != null && turn.onlyAdds()) {
      tails.appended(ThreadName.of(target.caller(), target.threadId()), before, appended);
    }
  }

  private Appended append(ThreadTurn.Target target, TurnWrite turn) {
    return appends.append(target.caller(), target.threadId(), target.thread(), turn);
  }
}
