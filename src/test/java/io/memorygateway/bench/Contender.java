package io.memorygateway.bench;

import io.memorygateway.http.api.RequestKind;

/** A way to keep rate limits in MySQL, for {@link RateLimitBench}. */
interface Contender {
  String name();

  /** Counts one request and says whether it is in. */
  boolean admit(long key, RequestKind kind) throws Exception;

  /** Gives back what it holds. */
  default void close() throws InterruptedException {}
}
