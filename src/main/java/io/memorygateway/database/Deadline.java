package io.memorygateway.database;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The time until which work on the database is to end, all attempts taken together.
 *
 * @param atNanos of {@link System#nanoTime()}
 */
public record Deadline(long atNanos) {
  public static Deadline in(Duration time) {
    return new Deadline(System.nanoTime() + time.toNanos());
  }

  /** Negative once it has passed. */
  public long millisLeft() {
    return TimeUnit.NANOSECONDS.toMillis(atNanos - System.nanoTime());
  }
}
