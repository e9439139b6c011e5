package io.memorygateway.auth;

import java.util.concurrent.atomic.AtomicLong;

/** Cached key with the time of its last look-up and of its last use. */
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
   * Caches a key that was found.
   *
   * @param checkedAt taken before the query, so that the age is never underestimated
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

  /** Age in nanoseconds by the monotonic clock alone; {@code Long.MAX_VALUE} if that went back. */
  long age(Moment now) {
    long age = now.nanos() - checkedAt.nanos();
    return age < 0 ? Long.MAX_VALUE : age;
  }

  /**
   * Age in nanoseconds by the clock that shows more, so that the key is not trusted longer than
   * either allows.
   */
  long greatestAge(Moment now) {
    long wall = now.wallMillis() - checkedAt.wallMillis();
    return Math.max(age(now), wall * 1_000_000);
  }

  void used(long atMillis) {
    if (atMillis > lastUsedMillis.get()) {
      lastUsedMillis.lazySet(atMillis);
    }
  }

  /** Epoch milliseconds of the last use since the previous call; 0 if there was none. */
  long drainLastUse() {
    return lastUsedMillis.getAndSet(0);
  }
}
