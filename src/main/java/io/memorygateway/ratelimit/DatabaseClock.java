package io.memorygateway.ratelimit;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The database's time as this node sees it, between the two bounds that the last answer leaves. The
 * node's own wall clock matters only until the first answer.
 */
final class DatabaseClock {
  private record Bounds(long behind, long ahead) {}

  private final LongSupplier nanoTime;
  private volatile Bounds bounds;

  /**
   * Goes by the node's wall clock until the first answer.
   *
   * @param nanoTime as {@link System#nanoTime()}
   */
  DatabaseClock(InstantSource wall, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    long offset = wall.millis() - ticks();
    this.bounds = new Bounds(offset, offset);
  }

  /** Milliseconds on this node's own scale, for {@link #answered}. */
  long ticks() {
    return Math.floorDiv(nanoTime.getAsLong(), 1_000_000L);
  }

  /** The database's clock stood at {@code databaseMillis} at some moment between two ticks. */
  void answered(long databaseMillis, long sentTicks, long receivedTicks) {
    bounds = new Bounds(databaseMillis - receivedTicks, databaseMillis - sentTicks);
  }

  /** Milliseconds since the epoch, rather too early: for how long to wait. */
  long earliest() {
    return ticks() + bounds.behind();
  }

  /** Milliseconds since the epoch, rather too late: for whether a window still runs. */
  long latest() {
    return ticks() + bounds.ahead();
  }
}
