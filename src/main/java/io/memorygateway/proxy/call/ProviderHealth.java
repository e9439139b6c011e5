package io.memorygateway.proxy.call;

import com.codahale.metrics.health.HealthCheck;
import io.memorygateway.json.Timestamps;
import io.memorygateway.proxy.circuit.OutcomeWindow;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Health check that shows the recent outcomes of a provider's calls. It never makes the node
 * unready: other providers and the memory API are still served.
 */
public final class ProviderHealth extends HealthCheck {
  private static final Duration SLICE = Duration.ofSeconds(10);
  private static final int SLICES = 30;

  private final InstantSource clock;
  private final OutcomeWindow window;
  private final ProviderKeyState key;
  private @Nullable Instant lastSuccess;
  private @Nullable Instant lastFailure;

  public ProviderHealth(InstantSource clock) {
    this.clock = clock;
    this.window = new OutcomeWindow(clock, SLICE, SLICES);
    this.key = new ProviderKeyState(clock);
  }

  /**
   * Counts a call that ended.
   *
   * @param failed whether the provider was the cause
   */
  synchronized void ended(boolean failed) {
    Instant now = clock.instant();
    window.add(failed);
    if (failed) {
      lastFailure = now;
    } else {
      lastSuccess = now;
    }
  }

  /** Whether the provider accepts the gateway's own key. */
  public ProviderKeyState key() {
    return key;
  }

  /**
   * The calls of the last minutes.
   *
   * @param failures caused by the provider
   */
  public record Recent(
      long minutes,
      long calls,
      long failures,
      @Nullable Instant lastSuccess,
      @Nullable Instant lastFailure) {}

  public synchronized Recent recent() {
    return new Recent(
        SLICE.multipliedBy(SLICES).toMinutes(),
        window.calls(),
        window.failures(),
        lastSuccess,
        lastFailure);
  }

  @Override
  protected Result check() {
    Recent recent = recent();
    long all = recent.calls();
    long failed = recent.failures();
    String rate =
        all == 0
            ? "no calls"
            : String.format(Locale.ROOT, "%.1f %% of %d calls failed", 100.0 * failed / all, all);
    return Result.builder()
        .healthy()
        .withMessage("%s in the last %d minutes", rate, recent.minutes())
        .withDetail("calls", all)
        .withDetail("failures", failed)
        .withDetail("lastSuccess", Timestamps.formatOrNull(recent.lastSuccess()))
        .withDetail("lastFailure", Timestamps.formatOrNull(recent.lastFailure()))
        .withDetail("keyRefusedSince", Timestamps.formatOrNull(key.refusedSince()))
        .build();
  }
}
