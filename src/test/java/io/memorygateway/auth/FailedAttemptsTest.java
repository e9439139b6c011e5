package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.ManualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class FailedAttemptsTest {
  private final ManualClock clock = new ManualClock(Instant.parse("2026-11-20T09:30:20Z"));
  private final FailedAttempts attempts = new FailedAttempts(2, clock);

  @Test
  void whatIsMoreThanAllowedInAMinuteWaitsForTheNext() {
    assertThat(attempts.countAndGetWait("10.0.0.1")).isZero();
    assertThat(attempts.countAndGetWait("10.0.0.1")).isZero();
    assertThat(attempts.countAndGetWait("10.0.0.1")).isEqualTo(40);
    clock.advance(Duration.ofSeconds(39));
    assertThat(attempts.countAndGetWait("10.0.0.1")).isEqualTo(1);
    clock.advance(Duration.ofSeconds(1));
    assertThat(attempts.countAndGetWait("10.0.0.1")).isZero();
  }

  @Test
  void addressesAreCountedApart() {
    for (int i = 0; i < 3; i++) {
      attempts.countAndGetWait("10.0.0.1");
    }
    assertThat(attempts.countAndGetWait("10.0.0.2")).isZero();
  }
}
