package io.memorygateway.turn;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.database.Transactions;
import io.memorygateway.observation.ObservationJobs;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests observation, before others, of threads whose context is cut (contract §8). Each thread
 * is requested at most every few seconds, so that a thread that stays cut costs its calls nothing.
 */
final class UrgentObservation {
  private static final Logger LOGGER = LoggerFactory.getLogger(UrgentObservation.class);
  private static final Duration REQUEST_INTERVAL = Duration.ofSeconds(5);
  private static final int MAX_THREADS = 10_000;

  private final Transactions transactions;
  private final Cache<Long, Boolean> asked =
      Caffeine.newBuilder().maximumSize(MAX_THREADS).expireAfterWrite(REQUEST_INTERVAL).build();

  UrgentObservation(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Requests that a thread is observed before others. Does not fail: the call proceeds without, and
   * the next one requests it again.
   *
   * @param thread {@code threads.id}
   */
  void prioritise(long thread) {
    if (asked.asMap().putIfAbsent(thread, true) != null) {
      return;
    }
    try {
      transactions.write(
          handle -> {
            ObservationJobs.prioritise(handle, thread);
            return true;
          });
    } catch (RuntimeException e) {
      asked.invalidate(thread);
      LOGGER.debug("The observers could not be asked for a thread", e);
    }
  }
}
