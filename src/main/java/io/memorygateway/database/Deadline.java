package io.memorygateway.database;

import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The time until which work on the database is to end, all attempts taken together.
 *
 * @param atNanos of {@link System#nanoTime()}
 */
public record Deadline(long atNanos) {
  public static Deadline in(Duration time) {
    return new Deadline(System.nanoTime() + time.toNanos());
  }

  /** The earliest of some deadlines; there is at least one. */
  public static Deadline earliest(Stream<Deadline> deadlines) {
    // By what is left: values of the clock may overflow.
    return deadlines.min(Comparator.comparingLong(Deadline::millisLeft)).orElseThrow();
  }

  /**
   * The same deadline, or an earlier one that leaves time for something else: at most half of what
   * is left.
   */
  public Deadline leaving(Duration time) {
    long left = atNanos - System.nanoTime();
    return new Deadline(atNanos - Math.max(0, Math.min(time.toNanos(), left / 2)));
  }

  /** Negative once it has passed. */
  public long millisLeft() {
    return TimeUnit.NANOSECONDS.toMillis(atNanos - System.nanoTime());
  }
}
