package io.memorygateway.turn;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.database.Transactions;
import io.memorygateway.observation.ObservationJobs;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the observers for threads whose context is cut: these are observed first (contract §8). For
 * each thread they are asked at most every few seconds, so that a thread that stays cut costs its
 * calls nothing.
 */
final class LateThreads {
  private static final Logger LOGGER = LoggerFactory.getLogger(LateThreads.class);
  private static final Duration ASKED_EVERY = Duration.ofSeconds(5);
  private static final int MOST_THREADS = 10_000;

  private final Transactions transactions;
  private final Cache<Long, Boolean> asked =
      Caffeine.newBuilder().maximumSize(MOST_THREADS).expireAfterWrite(ASKED_EVERY).build();

  LateThreads(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Has a thread observed before others. Does not fail: the call goes on without, and the next one
   * asks again.
   *
   * @param thread {@code threads.id}
   */
  void hurry(long thread) {
    if (asked.asMap().putIfAbsent(thread, true) != null) {
      return;
    }
    try {
      transactions.write(
          handle -> {
            ObservationJobs.hurry(handle, thread);
            return true;
          });
    } catch (RuntimeException e) {
      asked.invalidate(thread);
      LOGGER.debug("The observers could not be asked for a thread", e);
    }
  }
}
