package io.memorygateway.concurrent;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * The number of permits of {@link KeyedPermits}: a least one, and more while the processors are not
 * busy and work takes about as long as it does on a node that is hardly used. That is so where work
 * waits for a network or for the commits of a database; where it waits for processors, or the
 * database does, more at once would only make everyone slower.
 *
 * <p>Guarded by the lock of its permits, except {@link #readLoad}.
 */
public final class PermitNumber {
  private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int SAMPLES = 256;
  private static final int LEAST_SAMPLES = 8;

  /** Times the usual duration up to which there may be more permits. */
  private static final int QUICK = 3;

  /** Times the usual duration from which on there are fewer. */
  private static final int SLOW = 4;

  /** Load of the processors up to which there may be more permits, of 1. */
  private static final double IDLE_ENOUGH = 0.85;

  /** Load of the processors from which on there are fewer. */
  private static final double BUSY = 0.97;

  private static final int STEP = 8;
  private static final double NEWEST_WEIGHT = 0.2;

  private final int least;
  private final int most;
  private final DoubleSupplier processorLoad;
  private final long[] samples = new long[SAMPLES];
  private int sampled;
  private int peak;
  private volatile long windowNanos;
  private volatile double load = -1;
  private int permits;

  /** Median duration when hardly anything is done, or the least there was; 0 until one is known. */
  private double usualNanos;

  /**
   * Creates the least number.
   *
   * @param processorLoad returns the load of the processors, from 0 to 1; negative if not known
   * @param now in nanoseconds, as of {@link System#nanoTime}
   */
  public PermitNumber(int least, int most, DoubleSupplier processorLoad, long now) {
    this.least = least;
    this.most = Math.max(least, most);
    this.permits = least;
    this.processorLoad = processorLoad;
    this.windowNanos = now;
  }

  int permits() {
    return permits;
  }

  int most() {
    return most;
  }

  int ofOneKey() {
    return permits - permits / 4;
  }

  void began(int held) {
    peak = Math.max(peak, held);
  }

  void ended(long nanos) {
    samples[sampled % SAMPLES] = nanos;
    sampled++;
  }

  /** Reads the processors' load, which takes a while, if the next {@link #adjust} looks at it. */
  void readLoad(long now) {
    if (now - windowNanos >= WINDOW_NANOS) {
      load = processorLoad.getAsDouble();
    }
  }

  /**
   * Looks at what ended since the last window.
   *
   * @param isShort whether somebody waits for a permit
   */
  void adjust(long now, boolean isShort, int held) {
    if (now - windowNanos < WINDOW_NANOS) {
      return;
    }
    windowNanos = now;
    if (sampled >= LEAST_SAMPLES) {
      long[] durations = Arrays.copyOf(samples, Math.min(sampled, SAMPLES));
      Arrays.sort(durations);
      adjustTo(durations[durations.length / 2], isShort);
    }
    sampled = 0;
    peak = held;
  }

  private void adjustTo(long median, boolean isShort) {
    if (peak <= Math.max(1, least / 4) || usualNanos == 0 || median < usualNanos) {
      usualNanos =
          usualNanos == 0 ? median : usualNanos * (1 - NEWEST_WEIGHT) + median * NEWEST_WEIGHT;
    }
    if (load > BUSY || median > SLOW * usualNanos) {
      permits = Math.max(least, permits - Math.max(1, permits / STEP));
    } else if (isShort && load < IDLE_ENOUGH && median < QUICK * usualNanos) {
      permits = Math.min(most, permits + Math.max(1, permits / STEP));
    }
  }
}
