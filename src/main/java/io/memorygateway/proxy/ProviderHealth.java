package io.memorygateway.proxy;

import com.codahale.metrics.health.HealthCheck;
import io.memorygateway.json.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The recent outcomes of a provider's calls. Never a reason not to be ready: other providers, and
 * the memory API, go on being served.
 */
final class ProviderHealth extends HealthCheck {
  private static final long SLICE_SECONDS = 10;
  private static final int SLICES = 30;

  /** Statuses that say that a key is unknown, unpaid or not allowed to do this. */
  private static final Set<Integer> KEY_REFUSED = Set.of(401, 402, 403);

  private final InstantSource clock;
  private final long[] slice = new long[SLICES];
  private final long[] calls = new long[SLICES];
  private final long[] failures = new long[SLICES];
  private @Nullable Instant lastSuccess;
  private @Nullable Instant lastFailure;
  private volatile @Nullable Instant keyRefusedSince;

  ProviderHealth(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * Counts a call that ended.
   *
   * @param failed whether that was the provider's fault
   */
  synchronized void ended(boolean failed) {
    Instant now = clock.instant();
    int at = slice(now.getEpochSecond() / SLICE_SECONDS);
    calls[at]++;
    if (failed) {
      failures[at]++;
      lastFailure = now;
    } else {
      lastSuccess = now;
    }
  }

  /**
   * Notes whether the provider accepts the gateway's own key.
   *
   * @param status of an answer to a request with it
   */
  void keyAnswered(int status) {
    if (KEY_REFUSED.contains(status)) {
      if (keyRefusedSince == null) {
        keyRefusedSince = clock.instant();
      }
    } else if (status < 400 && keyRefusedSince != null) {
      keyRefusedSince = null;
    }
  }

  /** Since when the provider refuses the gateway's own key; null while it does not. */
  @Nullable Instant keyRefusedSince() {
    return keyRefusedSince;
  }

  private int slice(long number) {
    int at = (int) (number % SLICES);
    if (slice[at] != number) {
      slice[at] = number;
      calls[at] = 0;
      failures[at] = 0;
    }
    return at;
  }

  @Override
  protected synchronized Result check() {
    long oldest = clock.instant().getEpochSecond() / SLICE_SECONDS - SLICES + 1;
    long all = 0;
    long failed = 0;
    for (int i = 0; i < SLICES; i++) {
      if (slice[i] >= oldest) {
        all += calls[i];
        failed += failures[i];
      }
    }
    String rate =
        all == 0
            ? "no calls"
            : String.format(Locale.ROOT, "%.1f %% of %d calls failed", 100.0 * failed / all, all);
    return Result.builder()
        .healthy()
        .withMessage(
            "%s in the last %d minutes",
            rate, Duration.ofSeconds(SLICES * SLICE_SECONDS).toMinutes())
        .withDetail("calls", all)
        .withDetail("failures", failed)
        .withDetail("lastSuccess", shown(lastSuccess))
        .withDetail("lastFailure", shown(lastFailure))
        .withDetail("keyRefusedSince", shown(keyRefusedSince))
        .build();
  }

  private static @Nullable String shown(@Nullable Instant time) {
    return time == null ? null : Timestamps.format(time);
  }
}
