package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §4: which rules a request must pass, with which limits, and in which windows. */
class RuleSetTest {
  private static final long NOW = 1_800_000_000_000L;

  private final RuleSet rules = new RuleSet(RateLimitRule.defaults());

  @Test
  void aRequestPassesTheRulesOfItsKindAndThoseOfAll() {
    assertThat(rules.size()).isEqualTo(5);
    assertThat(rules.applicable(RequestKind.LLM)).containsExactly(0, 1, 2);
    assertThat(rules.applicable(RequestKind.MEMORY_READ)).containsExactly(0, 3);
    assertThat(rules.applicable(RequestKind.MEMORY_WRITE)).containsExactly(0, 4);
    assertThat(rules.applicable(RequestKind.OTHER)).containsExactly(0);
    RuleSet memory =
        new RuleSet(List.of(new RateLimitRule("m", AppliesTo.MEMORY, 1, Duration.ofMinutes(1))));
    assertThat(memory.applicable(RequestKind.MEMORY_READ)).containsExactly(0);
    assertThat(memory.applicable(RequestKind.LLM)).isEmpty();
    assertThat(memory.applicable(RequestKind.OTHER)).isEmpty();
  }

  @Test
  void aRuleCountsTheRequestsOfAllItsKinds() {
    int[] requests = new int[RequestKind.values().length];
    requests[RequestKind.LLM.index()] = 2;
    requests[RequestKind.MEMORY_READ.index()] = 3;
    assertThat(rules.counted(requests)).containsExactly(5, 2, 2, 3, 0);
  }

  @Test
  void aKeyMayHaveLimitsOfItsOwn() {
    assertThat(rules.limits()).containsExactly(5000, 2000, 400, 1200, 600);
    assertThat(rules.limits(Map.of())).isEqualTo(rules.limits());
    assertThat(rules.limits(Map.of("llm_burst", 7L, "global", -3L, "no such rule", 1L)))
        .containsExactly(0, 2000, 7, 1200, 600);
    assertThat(rules.limits()).containsExactly(5000, 2000, 400, 1200, 600);
  }

  @Test
  void windowsBeginAtWholeMultiplesOfTheirLength() {
    assertThat(rules.windowMillis(2)).isEqualTo(10_000);
    assertThat(rules.windowStart(2, NOW)).isEqualTo(NOW);
    assertThat(rules.windowStart(2, NOW + 9_999)).isEqualTo(NOW);
    assertThat(rules.windowStart(2, NOW + 10_000)).isEqualTo(NOW + 10_000);
    assertThat(rules.rule(2).name()).isEqualTo("llm_burst");
  }

  @ParameterizedTest
  @CsvSource({"PT1S", "PT90S", "P1D"})
  void aWindowIsOfWholeSecondsUpToADay(Duration window) {
    assertThat(new RateLimitRule("r", AppliesTo.ALL, 1, window).window()).isEqualTo(window);
  }

  @ParameterizedTest
  @CsvSource({"PT0S", "PT0.999S", "PT1.5S", "PT86401S", "-PT10S"})
  void noOtherWindowIsAccepted(Duration window) {
    assertThatThrownBy(() -> new RateLimitRule("r", AppliesTo.ALL, 1, window))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void onlyKeysWhoseWindowsHaveAllEndedAreEvicted() {
    long[] elapsed = {0};
    DatabaseClock clock =
        new DatabaseClock(
            () -> Instant.ofEpochMilli(NOW), () -> Duration.ofMillis(elapsed[0]).toNanos());
    WindowCache cache = new WindowCache(rules, clock);
    WindowCounts counts =
        new WindowCounts(new long[] {NOW, -1, NOW, -1, -1}, new long[] {5000, 0, 1, 0, 0});
    cache.put(7, counts, rules.limits());
    assertThat(cache.refused(7, RequestKind.OTHER, rules.limits())).isNotNull();
    assertThat(cache.refused(8, RequestKind.OTHER, rules.limits())).isNull();

    elapsed[0] = 59_999;
    cache.evictEnded();
    assertThat(cache.get(7)).isEqualTo(counts);
    elapsed[0] = 60_000;
    cache.evictEnded();
    assertThat(cache.get(7)).isNull();
  }
}
