package io.memorygateway.database;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.function.LongSupplier;
import org.jdbi.v3.core.Handle;

/**
 * The clock of the database as this node knows it: this machine's, corrected by how far the
 * database's is ahead. By it all nodes agree on when a key ends, however wrong their own clocks are
 * (contract §1).
 */
public final class DatabaseClock extends Clock {
  /** What clocks may differ by, so that a time does not go back and forth. */
  private static final long TOLERANCE_MILLIS = 1000;

  private final Clock own;
  private volatile long ahead;

  DatabaseClock(Clock own) {
    this.own = own;
  }

  /** The clock as a command needs it: it is read once. */
  public static Clock of(Transactions transactions) {
    DatabaseClock clock = new DatabaseClock(Clock.systemUTC());
    return transactions.read(
        handle -> {
          clock.read(handle);
          return clock;
        });
  }

  void read(Handle handle) {
    read(() -> handle.createQuery("SELECT " + SqlText.NOW_MILLIS).mapTo(Long.class).one());
  }

  void read(LongSupplier database) {
    long before = own.millis();
    long told = database.getAsLong();
    long after = own.millis();
    if (told < before + ahead - TOLERANCE_MILLIS || told > after + ahead + TOLERANCE_MILLIS) {
      ahead = told - after;
    }
  }

  @Override
  public long millis() {
    return own.millis() + ahead;
  }

  @Override
  public Instant instant() {
    return own.instant().plusMillis(ahead);
  }

  @Override
  public ZoneId getZone() {
    return own.getZone();
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException();
  }
}
