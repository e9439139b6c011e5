package io.memorygateway.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.net.InetAddresses;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Counters of failed authentications by address and minute, in memory (contract §2). IPv6 addresses
 * are counted by their first 64 bits, since a client usually controls a whole /64 network.
 */
public final class FailedAttempts {
  private static final int MAX_ADDRESSES = 100_000;
  private static final int MAX_ADDRESS_CHARACTERS = 64;
  private static final long WINDOW_SECONDS = 60;
  private static final int IPV6_PREFIX_BYTES = 8;
  private static final long NEVER = -1;

  private final int allowed;
  private final LongSupplier nanoTime;
  private final long origin;
  private final Cache<String, Window> windows;

  /**
   * Creates counters at zero.
   *
   * @param allowed failures of one address in a minute that are answered with 401
   * @param nanoTime as {@link System#nanoTime()}
   */
  public FailedAttempts(int allowed, LongSupplier nanoTime) {
    this.allowed = allowed;
    this.nanoTime = nanoTime;
    this.origin = nanoTime.getAsLong();
    this.windows =
        Caffeine.newBuilder()
            .maximumSize(MAX_ADDRESSES)
            .expireAfterWrite(Duration.ofSeconds(2 * WINDOW_SECONDS))
            .ticker(nanoTime::getAsLong)
            .build();
  }

  /**
   * Counts another failure.
   *
   * @return 0 within the allowed number, else the seconds until the address may fail again
   */
  public long countAndGetWait(String address) {
    long second = second();
    Window window =
        windows
            .asMap()
            .compute(
                network(address),
                (a, last) ->
                    last == null || last.minute() != minute(second)
                        ? new Window(minute(second), 1, NEVER)
                        : new Window(last.minute(), last.failures() + 1, last.lookedUpSecond()));
    return window.failures() <= allowed ? 0 : untilNextMinute(second);
  }

  /** Whether an address has had all failures that it is allowed in this minute. */
  boolean hasUsedUp(String address) {
    Window last = windows.getIfPresent(network(address));
    return last != null && last.minute() == minute(second()) && last.failures() >= allowed;
  }

  /**
   * Checks whether an unknown key may be looked up in the database. An address that has used up its
   * failures may look up one a second, so that a valid key of a shared address succeeds on a retry.
   *
   * @return 0 if it may, else the seconds until the address may fail again
   */
  public long waitBeforeLookUp(String address) {
    long second = second();
    if (!hasUsedUp(address)) {
      return 0;
    }
    boolean[] free = new boolean[1];
    windows
        .asMap()
        .computeIfPresent(
            network(address),
            (a, window) -> {
              free[0] = window.lookedUpSecond() < second;
              return free[0] ? new Window(window.minute(), window.failures(), second) : window;
            });
    return free[0] ? 0 : untilNextMinute(second);
  }

  /** The network whose addresses are counted together. */
  static String network(String address) {
    int scope = address.indexOf('%');
    String plain = scope < 0 ? address : address.substring(0, scope);
    if (plain.startsWith("[")) {
      plain = plain.substring(1, plain.endsWith("]") ? plain.length() - 1 : plain.length());
    }
    if (plain.indexOf(':') < 0 || !InetAddresses.isInetAddress(plain)) {
      // A proxy may be told any text by its clients.
      return address.substring(0, Math.min(address.length(), MAX_ADDRESS_CHARACTERS));
    }
    InetAddress parsed = InetAddresses.forString(plain);
    return parsed instanceof Inet6Address six
        ? HexFormat.of().formatHex(Arrays.copyOf(six.getAddress(), IPV6_PREFIX_BYTES)) + "/64"
        : parsed.getHostAddress();
  }

  private long second() {
    return TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong() - origin);
  }

  private static long minute(long second) {
    return second / WINDOW_SECONDS;
  }

  private static long untilNextMinute(long second) {
    return (minute(second) + 1) * WINDOW_SECONDS - second;
  }

  /**
   * Failures of one minute.
   *
   * @param lookedUpSecond time of the last look-up beyond the allowed failures
   */
  private record Window(long minute, int failures, long lookedUpSecond) {}
}
