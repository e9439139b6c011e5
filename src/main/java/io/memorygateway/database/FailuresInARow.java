package io.memorygateway.database;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Count of failures since the last success, for work that is tried again and again: only the first,
 * second, fourth, eighth and so on is worth a line in the log.
 */
public final class FailuresInARow {
  private final AtomicLong count = new AtomicLong();

  /** Counts a failure; returns whether it is worth a line. */
  public boolean isWorthALine() {
    return Long.bitCount(count.incrementAndGet()) == 1;
  }

  public void end() {
    count.set(0);
  }
}
