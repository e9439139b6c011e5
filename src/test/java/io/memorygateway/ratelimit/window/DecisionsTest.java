package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.Decision.Shown;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which rule the headers show, and for how long a refused caller is sent away (contract §4). */
class DecisionsTest {
  private static final long NOW = 1_800_000_017_500L;

  private final RuleSet rules =
      new RuleSet(
          List.of(
              new RateLimitRule("long", AppliesTo.ALL, 100, Duration.ofSeconds(60)),
              new RateLimitRule("short", AppliesTo.LLM, 10, Duration.ofSeconds(10)),
              new RateLimitRule("read", AppliesTo.MEMORY_READ, 1, Duration.ofSeconds(3_600))));
  private final Decisions decisions = new Decisions(rules);

  @Test
  void ofTheRulesThatApplyTheOneWithTheFewestRequestsLeftIsShown() {
    assertThat(admitted(95, 3).shown()).isEqualTo(new Shown(100, 5, 1_800_000_060));
    assertThat(admitted(50, 3).shown()).isEqualTo(new Shown(10, 7, 1_800_000_020));
  }

  @Test
  void ofEqualOnesTheLastToResetIsShown() {
    assertThat(admitted(93, 3).shown()).isEqualTo(new Shown(100, 7, 1_800_000_060));
  }

  @Test
  void ofEqualOnesTheLastToResetIsShownWhateverTheOrderOfTheRules() {
    RuleSet reversed =
        new RuleSet(
            List.of(
                new RateLimitRule("short", AppliesTo.LLM, 10, Duration.ofSeconds(10)),
                new RateLimitRule("long", AppliesTo.ALL, 100, Duration.ofSeconds(60))));
    long[] starts = {reversed.windowStart(0, NOW), reversed.windowStart(1, NOW)};
    Decision decision =
        new Decisions(reversed)
            .admitted(
                Outcome.ALLOWED, RequestKind.LLM, reversed.limits(), starts, new long[] {3, 93});
    assertThat(decision.shown()).isEqualTo(new Shown(100, 7, 1_800_000_060));
  }

  @Test
  void aLimitLoweredBelowWhatIsUsedLeavesNothingAndNotLess() {
    assertThat(admitted(250, 3).shown().remaining()).isZero();
  }

  @Test
  void ofTheExceededRulesTheLastToResetIsShown() {
    assertThat(refused(100, 10).shown()).isEqualTo(new Shown(100, 0, 1_800_000_060));
    assertThat(refused(99, 10).shown()).isEqualTo(new Shown(10, 0, 1_800_000_020));
    assertThat(refused(99, 9)).isNull();
  }

  @Test
  void aRefusedCallerWaitsInWholeSecondsUntilTheResetAndAtLeastOne() {
    assertThat(refused(100, 0).retryAfterSeconds()).isEqualTo(43);
    assertThat(refused(0, 10).retryAfterSeconds()).isEqualTo(3);
    long[] starts = starts(NOW);
    assertThat(
            decisions
                .refused(RequestKind.LLM, rules.limits(), starts, used(0, 10), starts[1] + 9_999, 0)
                .retryAfterSeconds())
        .isEqualTo(1);
  }

  @Test
  void memoryNoLongerRefusesInTheDoubtfulEndOfAWindow() {
    long end = 1_800_000_020_000L;
    assertThat(refusedFromMemory(end - Decisions.UNCERTAIN_MILLIS - 1)).isNotNull();
    assertThat(refusedFromMemory(end - Decisions.UNCERTAIN_MILLIS)).isNull();
    assertThat(refusedFromMemory(end)).isNull();
  }

  @Test
  void withoutAKeyTheTightestRuleOfTheScopeIsShownUntouched() {
    assertThat(decisions.untouched(RequestKind.LLM, NOW).shown())
        .isEqualTo(new Shown(10, 10, 1_800_000_020));
    assertThat(decisions.untouched(RequestKind.OTHER, NOW).shown())
        .isEqualTo(new Shown(10, 10, 1_800_000_020));
    assertThat(decisions.untouched(RequestKind.MEMORY_READ, NOW).shown().limit()).isEqualTo(1);
    assertThat(decisions.untouched(RequestKind.MEMORY_WRITE, NOW).shown().limit()).isEqualTo(100);
  }

  @Test
  void aRequestThatOutlastsItsWindowShowsTheOneThatRunsNow() {
    Decision earlier = admitted(50, 3);
    WindowCounts read = new WindowCounts(starts(NOW), used(50, 3));
    assertThat(current(earlier, read, 1_800_000_019_999L)).isSameAs(earlier);
    // The short window has ended, and the long one runs on.
    assertThat(current(earlier, read, 1_800_000_020_000L).shown())
        .isEqualTo(new Shown(10, 10, 1_800_000_030));
    WindowCounts later = new WindowCounts(starts(1_800_000_031_000L), used(97, 1));
    assertThat(current(earlier, later, 1_800_000_031_000L).shown())
        .isEqualTo(new Shown(100, 3, 1_800_000_060));
    assertThat(current(earlier, later, 1_800_000_065_000L).shown())
        .isEqualTo(new Shown(10, 10, 1_800_000_070));
    assertThat(current(earlier, null, 1_800_000_065_000L).shown())
        .isEqualTo(new Shown(10, 10, 1_800_000_070));
  }

  @Test
  void aRefusalKeepsWhatItSaid() {
    Decision refused = refused(100, 10);
    assertThat(current(refused, null, NOW + 100_000)).isSameAs(refused);
  }

  @Test
  void whereNoRuleAppliesNothingIsShown() {
    assertThat(new Decisions(new RuleSet(List.of())).untouched(RequestKind.LLM, NOW).shown())
        .isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void anyShownRuleIsWithinBounds(int seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 2_000; i++) {
      RuleSet any = RandomRules.from(random);
      long now = NOW + random.nextInt(100_000_000);
      long[] limits = RandomRules.limits(random, any);
      long[] used = random.longs(any.size(), 0, 45).toArray();
      long[] starts = new long[any.size()];
      for (int rule = 0; rule < starts.length; rule++) {
        starts[rule] = any.windowStart(rule, now);
      }
      RequestKind kind = RandomRules.kind(random, any);
      Decisions judge = new Decisions(any);
      Decision decision = judge.refused(kind, limits, starts, used, now, 0);
      if (decision == null) {
        decision = judge.admitted(Outcome.ALLOWED, kind, limits, starts, used);
        assertThat(decision.shown().remaining()).isPositive();
      } else {
        long untilReset = decision.shown().resetEpochSecond() * 1000 - now;
        assertThat(decision.shown().remaining()).isZero();
        assertThat(decision.retryAfterSeconds()).isPositive();
        assertThat(decision.retryAfterSeconds() * 1000 - untilReset).isBetween(0L, 999L);
      }
      assertThat(decision.shown().resetEpochSecond() * 1000).isGreaterThan(now);
    }
  }

  private Decision admitted(long usedLong, long usedShort) {
    return decisions.admitted(
        Outcome.ALLOWED, RequestKind.LLM, rules.limits(), starts(NOW), used(usedLong, usedShort));
  }

  private Decision refused(long usedLong, long usedShort) {
    return decisions.refused(
        RequestKind.LLM, rules.limits(), starts(NOW), used(usedLong, usedShort), NOW, 0);
  }

  private Decision current(Decision earlier, WindowCounts read, long now) {
    return decisions.current(earlier, RequestKind.LLM, rules.limits(), read, now);
  }

  private Decision refusedFromMemory(long now) {
    return decisions.refused(
        RequestKind.LLM,
        rules.limits(),
        starts(NOW),
        used(0, 10),
        now,
        now + Decisions.UNCERTAIN_MILLIS);
  }

  private long[] starts(long now) {
    return new long[] {
      rules.windowStart(0, now), rules.windowStart(1, now), rules.windowStart(2, now)
    };
  }

  private static long[] used(long usedLong, long usedShort) {
    return new long[] {usedLong, usedShort, 0};
  }
}
