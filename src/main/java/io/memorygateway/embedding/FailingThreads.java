package io.memorygateway.embedding;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Threads with a message on which the model fails while it answers to others, and threads that
 * cannot be read or written though the database answers: each waits for a time that grows, so that
 * it does not hold the others up. A message on which the model fails is given up after some
 * attempts, and at the first if too many threads wait. For one thread.
 */
final class FailingThreads {
  /** The most threads that wait; the first of more is tried earlier. */
  static final int MAX_THREADS = 1_000;

  /**
   * A thread that was not tried again for so long after its wait is forgotten if there are more.
   */
  private static final Duration STALE = Duration.ofHours(1);

  private static final int MAX_ATTEMPTS = 5;
  private static final Duration FIRST_PAUSE = Duration.ofMinutes(1);

  private final Clock clock;
  private final Map<Long, Failing> threads = new LinkedHashMap<>();

  private record Failing(int attempts, Instant until) {}

  FailingThreads(Clock clock) {
    this.clock = clock;
  }

  /** The number of threads that may wait. */
  int size() {
    return threads.size();
  }

  boolean waits(long thread) {
    Failing failing = threads.get(thread);
    return failing != null && clock.instant().isBefore(failing.until);
  }

  /** Whether it failed before, and did not succeed since. */
  boolean has(long thread) {
    return threads.containsKey(thread);
  }

  /** Whether a message that fails now is given up. */
  boolean isGivenUp(long thread) {
    Failing failing = threads.get(thread);
    return failing == null ? isFull() : failing.attempts >= MAX_ATTEMPTS;
  }

  private boolean isFull() {
    if (threads.size() >= MAX_THREADS) {
      Instant stale = clock.instant().minus(STALE);
      threads.values().removeIf(failing -> failing.until.isBefore(stale));
    }
    return threads.size() >= MAX_THREADS;
  }

  void failed(long thread) {
    Failing before = threads.remove(thread);
    int attempts = before == null ? 0 : before.attempts;
    Duration pause = FIRST_PAUSE.multipliedBy(1L << attempts);
    int now = Math.min(attempts + 1, MAX_ATTEMPTS);
    threads.put(thread, new Failing(now, clock.instant().plus(pause)));
    if (threads.size() > MAX_THREADS) {
      threads.remove(threads.keySet().iterator().next());
    }
  }

  void succeeded(long thread) {
    threads.remove(thread);
  }
}
