package io.memorygateway.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Clock;

/** Counts failed authentications by address and minute, in memory (contract §2). */
public final class FailedAttempts {
  private static final int MOST_ADDRESSES = 100_000;
  private static final long WINDOW_SECONDS = 60;

  private final int allowed;
  private final Clock clock;
  private final Cache<String, Window> windows =
      Caffeine.newBuilder().maximumSize(MOST_ADDRESSES).build();

  /**
   * Counts failures.
   *
   * @param allowed failures of one address in a minute that are answered with 401
   */
  public FailedAttempts(int allowed, Clock clock) {
    this.allowed = allowed;
    this.clock = clock;
  }

  /**
   * Counts one more failure.
   *
   * @return 0 if it is within what is allowed, else the seconds until the address may fail again
   */
  public long countAndGetWait(String address) {
    long second = clock.instant().getEpochSecond();
    long minute = second / WINDOW_SECONDS;
    Window window =
        windows
            .asMap()
            .compute(
                address,
                (a, last) ->
                    last == null || last.minute() != minute
                        ? new Window(minute, 1)
                        : new Window(minute, last.failures() + 1));
    return window.failures() <= allowed ? 0 : (minute + 1) * WINDOW_SECONDS - second;
  }

  private record Window(long minute, int failures) {}
}
