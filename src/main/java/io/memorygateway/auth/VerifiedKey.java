package io.memorygateway.auth;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** What a node believes of one key since it last asked the database. */
final class VerifiedKey {
  private final ApiKey key;
  private final Caller caller;
  private final long checkedAtMillis;
  private final AtomicBoolean refreshing = new AtomicBoolean();
  private final AtomicLong lastUsedMillis = new AtomicLong();

  VerifiedKey(ApiKey key, long checkedAtMillis) {
    this.key = key;
    this.caller = key.caller();
    this.checkedAtMillis = checkedAtMillis;
  }

  ApiKey key() {
    return key;
  }

  Caller caller() {
    return caller;
  }

  /** Taken before the database was asked, so that the age is never underestimated. */
  long checkedAtMillis() {
    return checkedAtMillis;
  }

  /** True for the one caller that is to refresh this. */
  boolean claimRefresh() {
    return refreshing.compareAndSet(false, true);
  }

  void releaseRefresh() {
    refreshing.set(false);
  }

  void used(long atMillis) {
    lastUsedMillis.lazySet(atMillis);
  }

  /** The last use, once; 0 if there was none since. */
  long takeUse() {
    return lastUsedMillis.getAndSet(0);
  }
}
