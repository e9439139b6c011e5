package io.memorygateway.observation;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Keeps work in the background from slowing calls down, here and in the database: it works in
 * slices of a few milliseconds, and rests between them for so long that it uses only what others
 * leave idle of the processors, less a reserve. Time counts as work wherever it goes: the database
 * works meanwhile, or something more urgent does. However busy the machine is, a share of its time
 * remains for each thread. Work that somebody waits for does not rest: what is not observed of its
 * thread goes upstream only in part.
 */
final class Pace {
  /** Never rests. */
  static final Pace UNLIMITED = new Pace(1, 1, 1, () -> 0, () -> 0, nanos -> {});

  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /**
   * What takes longer is no work but a wait: for a lock, for a model, for a database that hangs.
   */
  private static final long LONGEST_SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long MEASURE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Rests; ends early when the thread is interrupted, and leaves it so. */
  interface Rest {
    void nanos(long nanos);
  }

  private final int threads;
  private final int processors;
  private final double leastShare;
  private final double reserve;
  private final DoubleSupplier load;
  private final LongSupplier nanoTime;
  private final Rest rest;
  private final LongAdder used = new LongAdder();
  private final ThreadLocal<Slice> slices = ThreadLocal.withInitial(Slice::new);
  private long measuredAt;
  private long usedThen;
  private double share;

  /**
   * A pace for some threads together.
   *
   * @param threads that work at most
   * @param leastShare of its time that each of them works; 1: none of them ever rests
   * @param load of all processors since it was asked last, 0 to 1; negative if not known
   * @param nanoTime of any origin
   */
  Pace(
      int threads,
      int processors,
      double leastShare,
      DoubleSupplier load,
      LongSupplier nanoTime,
      Rest rest) {
    this.threads = Math.max(1, threads);
    this.processors = processors;
    this.leastShare = leastShare;
    this.share = leastShare;
    this.reserve = Math.min(processors / 2.0, Math.max(1, processors / 4.0));
    this.load = load;
    this.nanoTime = nanoTime;
    this.rest = rest;
    this.measuredAt = nanoTime.getAsLong();
  }

  /** By the load of this machine or container. */
  static Pace ofThisMachine(int threads, double leastShare) {
    return new Pace(
        threads,
        Runtime.getRuntime().availableProcessors(),
        leastShare,
        ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean machine
            ? machine::getCpuLoad
            : () -> -1,
        System::nanoTime,
        LockSupport::parkNanos);
  }

  /** Begins to work, after a time without work. */
  void begin() {
    slices.get().began = nanoTime.getAsLong();
  }

  /** Lets this thread work without rests, or with them again. */
  void hurry(boolean hurried) {
    slices.get().hurried = hurried;
  }

  /** To be called often by a working thread; mostly returns at once. */
  void rest() {
    Slice slice = slices.get();
    long worked = Math.min(nanoTime.getAsLong() - slice.began, LONGEST_SLICE_NANOS);
    if (worked < SLICE_NANOS) {
      return;
    }
    used.add(worked);
    double mine = share();
    if (mine < 1 && !slice.hurried) {
      rest.nanos((long) (worked * (1 / mine - 1)));
    }
    slice.began = nanoTime.getAsLong();
  }

  /** The part of its time that each thread may work. */
  private synchronized double share() {
    long now = nanoTime.getAsLong();
    if (now - measuredAt >= MEASURE_NANOS) {
      long usedNow = used.sum();
      double busy = load.getAsDouble();
      double own = (double) (usedNow - usedThen) / (now - measuredAt);
      double free = processors * (1 - (busy < 0 ? 1 : busy)) - reserve + own;
      share = Math.max(leastShare, Math.min(1, free / threads));
      measuredAt = now;
      usedThen = usedNow;
    }
    return share;
  }

  private final class Slice {
    private long began = nanoTime.getAsLong();
    private boolean hurried;
  }
}
