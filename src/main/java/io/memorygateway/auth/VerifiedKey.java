package io.memorygateway.auth;

import java.util.concurrent.atomic.AtomicLong;

/** What a node believes of one key since it last asked the database. */
final class VerifiedKey {
  private final ApiKey key;
  private final Caller caller;
  private final Moment checkedAt;
  private final AtomicLong lastUsedMillis = new AtomicLong();

  /**
   * A point in time by two clocks: the wall clock may be set, and the monotonic one may stand still
   * while the machine is suspended.
   */
  record Moment(long nanos, long wallMillis) {}

  /**
   * What was found.
   *
   * @param checkedAt taken before the database was asked, so that the age is never underestimated
   */
  VerifiedKey(ApiKey key, Moment checkedAt) {
    this.key = key;
    this.caller = key.caller();
    this.checkedAt = checkedAt;
  }

  ApiKey key() {
    return key;
  }

  Caller caller() {
    return caller;
  }

  /** Nanoseconds by the monotonic clock alone; one that went back makes it as old as can be. */
  long age(Moment now) {
    long age = now.nanos() - checkedAt.nanos();
    return age < 0 ? Long.MAX_VALUE : age;
  }

  /** Nanoseconds by the clock that says more: it is believed no longer than by either of them. */
  long greatestAge(Moment now) {
    long wall = now.wallMillis() - checkedAt.wallMillis();
    return Math.max(age(now), wall * 1_000_000);
  }

  void used(long atMillis) {
    if (atMillis > lastUsedMillis.get()) {
      lastUsedMillis.lazySet(atMillis);
    }
  }

  /** The last use, once; 0 if there was none since. */
  long takeUse() {
    return lastUsedMillis.getAndSet(0);
  }
}
