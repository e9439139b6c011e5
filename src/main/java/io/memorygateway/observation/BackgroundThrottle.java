package io.memorygateway.observation;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Keeps background work from slowing calls down, on this node and in the database. The work runs in
 * slices of a few milliseconds and rests in between, for so long that it uses only the processor
 * time that others leave idle, less a reserve. All time of a slice counts as work: the database
 * works meanwhile, or something more urgent does. However busy the machine is, each thread works
 * for a share of its time. Work that somebody waits for does not rest: of its thread, unobserved
 * messages go upstream only in part.
 */
final class BackgroundThrottle {
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /**
   * Longer slices count as this long: the rest was a wait for a lock, a model, or a database that
   * hangs.
   */
  private static final long MAX_SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long MEASURE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /**
   * Rests for so many nanoseconds; returns early when the thread is interrupted, and leaves it so.
   */
  interface Sleep {
    void nanos(long nanos);
  }

  private final int threads;
  private final int processors;
  private final double minShare;
  private final double reserve;
  private final DoubleSupplier load;
  private final LongSupplier nanoTime;
  private final Sleep rest;
  private final LongAdder used = new LongAdder();
  private final ThreadLocal<Slice> slices = ThreadLocal.withInitial(Slice::new);
  private long measuredAt;
  private long usedThen;
  private double share;

  /**
   * @param threads that work at most
   * @param minShare of its time that each of them works; 1: none of them ever rests
   * @param load of all processors since the previous call, 0 to 1; negative if not known
   * @param nanoTime of any origin
   */
  BackgroundThrottle(
      int threads,
      int processors,
      double minShare,
      DoubleSupplier load,
      LongSupplier nanoTime,
      Sleep rest) {
    this.threads = Math.max(1, threads);
    this.processors = processors;
    this.minShare = minShare;
    this.share = minShare;
    this.reserve = Math.min(processors / 2.0, Math.max(1, processors / 4.0));
    this.load = load;
    this.nanoTime = nanoTime;
    this.rest = rest;
    this.measuredAt = nanoTime.getAsLong();
  }

  /** A throttle by the processor load of this machine or container. */
  static BackgroundThrottle ofThisMachine(int threads, double minShare) {
    return new BackgroundThrottle(
        threads,
        Runtime.getRuntime().availableProcessors(),
        minShare,
        ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean machine
            ? machine::getCpuLoad
            : () -> -1,
        System::nanoTime,
        LockSupport::parkNanos);
  }

  /** Begins a slice of work, after a time without work. */
  void begin() {
    slices.get().began = nanoTime.getAsLong();
  }

  /** Switches rests off, or on again, for the current thread. */
  void setUrgent(boolean urgent) {
    slices.get().urgent = urgent;
  }

  /** Rests if the slice is over; to be called often by a working thread. */
  void rest() {
    Slice slice = slices.get();
    long worked = Math.min(nanoTime.getAsLong() - slice.began, MAX_SLICE_NANOS);
    if (worked < SLICE_NANOS) {
      return;
    }
    used.add(worked);
    double mine = share();
    if (mine < 1 && !slice.urgent) {
      rest.nanos((long) (worked * (1 / mine - 1)));
    }
    slice.began = nanoTime.getAsLong();
  }

  /** The share of its time that each thread may work. */
  private synchronized double share() {
    long now = nanoTime.getAsLong();
    if (now - measuredAt >= MEASURE_NANOS) {
      long usedNow = used.sum();
      double busy = load.getAsDouble();
      double own = (double) (usedNow - usedThen) / (now - measuredAt);
      double free = processors * (1 - (busy < 0 ? 1 : busy)) - reserve + own;
      share = Math.max(minShare, Math.min(1, free / threads));
      measuredAt = now;
      usedThen = usedNow;
    }
    return share;
  }

  private final class Slice {
    private long began = nanoTime.getAsLong();
    private boolean urgent;
  }
}
