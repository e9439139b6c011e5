package io.memorygateway.ratelimit.window;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * Estimate of the database's time, between two bounds that the last answer sets.
 *
 * <p>The monotonic clock of this node carries it from one answer to the next. While the machine is
 * suspended that clock may stop, and only the wall clock shows it; the wall clock may be set, and
 * only the monotonic one shows it. So {@link #latest} is the later of the two: where they disagree,
 * reservations and cached windows are dropped rather than used too long. If both stop, this node
 * cannot notice.
 */
final class DatabaseClock {
  /** A point in time by both clocks of this node, in milliseconds. */
  record Moment(long ticks, long wall) {}

  private record Bounds(long behind, long ahead, long aheadOfWall) {}

  private final InstantSource wall;
  private final LongSupplier nanoTime;
  private volatile Bounds bounds;

  /**
   * Creates a clock that shows the node's wall clock until the first answer.
   *
   * @param nanoTime as {@link System#nanoTime()}
   */
  DatabaseClock(InstantSource wall, LongSupplier nanoTime) {
    this.wall = wall;
    this.nanoTime = nanoTime;
    Moment now = now();
    long offset = now.wall() - now.ticks();
    this.bounds = new Bounds(offset, offset, 0);
  }

  /** The present by both clocks, for {@link #synchronize}. */
  Moment now() {
    return new Moment(ticks(), wall.millis());
  }

  /** Sets the bounds: the database's clock read {@code databaseMillis} between the two moments. */
  void synchronize(long databaseMillis, Moment sent, Moment received) {
    bounds =
        new Bounds(
            databaseMillis - received.ticks(),
            databaseMillis - sent.ticks(),
            databaseMillis - sent.wall());
  }

  /** Lower bound in milliseconds since the epoch; decides how long to wait. */
  long earliest() {
    return ticks() + bounds.behind();
  }

  /** Upper bound in milliseconds since the epoch; decides whether a window still runs. */
  long latest() {
    Bounds known = bounds;
    return Math.max(ticks() + known.ahead(), wall.millis() + known.aheadOfWall());
  }

  private long ticks() {
    return Math.floorDiv(nanoTime.getAsLong(), 1_000_000L);
  }
}
