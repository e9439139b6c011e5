package io.memorygateway.http;

import java.time.Clock;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** Ids of our own making: UUIDs of version 7 (RFC 9562), which sort by the time of their making. */
public final class Uuids {
  private Uuids() {}

  public static UUID version7(Clock clock, RandomGenerator random) {
    long most = (clock.millis() << 16) | 0x7000L | (random.nextLong() & 0x0fffL);
    long least = 0x8000_0000_0000_0000L | (random.nextLong() >>> 2);
    return new UUID(most, least);
  }
}
