package io.memorygateway.http.api;

import java.time.Clock;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** Generates UUIDs of version 7 (RFC 9562), which sort by the time of their creation. */
public final class Uuids {
  private Uuids() {}

  public static UUID version7(Clock clock, RandomGenerator random) {
    long high = (clock.millis() << 16) | 0x7000L | (random.nextLong() & 0x0fffL);
    long low = 0x8000_0000_0000_0000L | (random.nextLong() >>> 2);
    return new UUID(high, low);
  }
}
