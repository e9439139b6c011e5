package io.memorygateway.database;

import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Deadline of work on the database, all attempts taken together.
 *
 * @param atNanos of {@link System#nanoTime()}
 */
public record Deadline(long atNanos) {
  public static Deadline in(Duration time) {
    return new Deadline(System.nanoTime() + time.toNanos());
  }

  public static Deadline earliest(Stream<Deadline> deadlines) {
    // Compared by the time left: values of the clock may overflow.
    return deadlines.min(Comparator.comparingLong(Deadline::millisLeft)).orElseThrow();
  }

  /**
   * Returns an earlier deadline that leaves time for something else, but at most half of the time
   * left.
   */
  public Deadline leaving(Duration time) {
    long left = atNanos - System.nanoTime();
    return new Deadline(atNanos - Math.max(0, Math.min(time.toNanos(), left / 2)));
  }

  /** Milliseconds left; negative once the deadline has passed. */
  public long millisLeft() {
    return TimeUnit.NANOSECONDS.toMillis(atNanos - System.nanoTime());
  }
}
