package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What this node refuses without asking the database, and what it forgets. */
class WindowCacheTest {
  private static final long START = 1_800_000_000_000L;
  private static final long KEY = 7;

  private final RuleSet rules =
      new RuleSet(
          List.of(
              new RateLimitRule("short", AppliesTo.LLM, 10, Duration.ofSeconds(10)),
              new RateLimitRule("long", AppliesTo.LLM, 100, Duration.ofSeconds(60))));
  private long millis = START;
  private final DatabaseClock clock =
      new DatabaseClock(() -> Instant.ofEpochMilli(millis), () -> millis * 1_000_000);
  private final WindowCache cache = new WindowCache(rules, clock);

  @Test
  void aKeyThatWasNeverReadIsNotRefused() {
    assertThat(refused()).isNull();
  }

  @Test
  void aFullWindowIsRefusedUntilItsEndIsInDoubt() {
    read(9);
    assertThat(refused()).isNull();
    read(10);
    assertThat(refused().outcome()).isEqualTo(Outcome.LIMITED);
    millis = START + 10_000 - Decisions.UNCERTAIN_MILLIS - 1;
    assertThat(refused().retryAfterSeconds()).isEqualTo(1);
    millis = START + 10_000 - Decisions.UNCERTAIN_MILLIS;
    assertThat(refused()).isNull();
  }

  /** It may be full of permits that were counted ahead, which come back. */
  @Test
  void aWindowThatWasNotFullWhenItWasReadIsNotRefusedUnderALowerLimit() {
    read(9);
    assertThat(refused(9, 100)).isNull();
    assertThat(refused(5, 5)).isNull();
    read(10);
    assertThat(refused(5, 5).shown().limit()).isEqualTo(5);
    assertThat(refused(11, 100)).isNull();
    assertThat(refused(11, 5)).isNull();
  }

  @Test
  void aKeyIsEvictedOnceAllOfItsWindowsHaveEnded() {
    read(10);
    millis = START + 59_999;
    cache.evictEnded();
    assertThat(cache.get(KEY)).isNotNull();
    millis = START + 60_000;
    cache.evictEnded();
    assertThat(cache.get(KEY)).isNull();
  }

  private void read(long used) {
    cache.put(
        KEY, new WindowCounts(new long[] {START, START}, new long[] {used, used}), rules.limits());
  }

  private Decision refused() {
    return refused(rules.limits());
  }

  private Decision refused(long... limits) {
    return cache.refused(KEY, RequestKind.LLM, limits);
  }
}
