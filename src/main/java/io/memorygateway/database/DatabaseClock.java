package io.memorygateway.database;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jdbi.v3.core.Handle;

/**
 * The clock of the database as this node knows it. By it all nodes agree on when a key ends, which
 * rows are too old to be kept, and what was said when, however wrong their own clocks are (contract
 * §1).
 *
 * <p>From one answer of the database to the next, the monotonic clock of this machine carries it,
 * which does not jump when the machine's time is set.
 */
public final class DatabaseClock extends Clock {
  private final LongSupplier nanoTime;
  private volatile long ahead;

  /**
   * Creates a clock that shows another one's time until the database is asked.
   *
   * @param nanoTime as {@link System#nanoTime()}
   */
  DatabaseClock(Clock until, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    ahead = until.millis() - ticks();
  }

  DatabaseClock() {
    this(Clock.systemUTC(), System::nanoTime);
  }

  /** The clock as a command needs it: it is read once. */
  public static Clock of(Transactions transactions) {
    DatabaseClock clock = new DatabaseClock();
    return transactions.read(
        handle -> {
          clock.read(handle);
          return clock;
        });
  }

  void read(Handle handle) {
    read(() -> handle.createQuery("SELECT " + SqlText.NOW_MILLIS).mapTo(Long.class).one());
  }

  /** Corrects the clock by the least that puts the answer between its request and its arrival. */
  void read(LongSupplier database) {
    long before = ticks();
    long told = database.getAsLong();
    long after = ticks();
    ahead = Math.max(told - after, Math.min(ahead, told - before));
  }

  private long ticks() {
    return TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong());
  }

  @Override
  public long millis() {
    return ticks() + ahead;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException();
  }
}
