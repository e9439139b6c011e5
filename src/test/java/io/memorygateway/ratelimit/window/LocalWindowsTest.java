package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import io.memorygateway.ratelimit.window.WindowStore.Adjustment;
import io.memorygateway.testing.TestTimeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalWindowsTest {
  private static final long NOW = 1_800_000_000_000L;

  private final RuleSet rules =
      new RuleSet(List.of(new RateLimitRule("only", AppliesTo.ALL, 10, Duration.ofSeconds(10))));
  private final LocalWindows local = new LocalWindows(rules);

  @Test
  void closedItDecidesNothing() {
    assertThat(local.decide(1, RequestKind.LLM, rules.limits(), NOW, null)).isNull();
  }

  @Test
  void whoOpensOrClosesItLearnsWhatChanged() {
    assertThat(local.open()).isTrue();
    assertThat(local.open()).isFalse();
    assertThat(local.decide(1, RequestKind.LLM, rules.limits(), NOW, null)).isNotNull();
    assertThat(local.close(NOW)).hasSize(1);
    assertThat(local.decide(1, RequestKind.LLM, rules.limits(), NOW, null)).isNull();
    assertThat(local.open()).isTrue();
    assertThat(local.close(NOW)).isEmpty();
  }

  /** What was counted here before is part of the shared windows, and may be old by then. */
  @Test
  void onceClosedItForgetsWhatItCounted() {
    local.open();
    for (int i = 0; i < 10; i++) {
      local.decide(1, RequestKind.LLM, rules.limits(), NOW, null);
    }
    local.close(NOW);
    local.open();
    assertThat(local.decide(1, RequestKind.LLM, rules.limits(), NOW, null).outcome())
        .isEqualTo(Outcome.LOCAL);
  }

  @Test
  void manyThreadsAreAdmittedNoMoreThanTheLimit() throws Exception {
    local.open();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<Outcome>> decided = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        decided.add(
            threads.submit(
                () -> local.decide(1, RequestKind.LLM, rules.limits(), NOW, null).outcome()));
      }
      int admitted = 0;
      for (Future<Outcome> outcome : decided) {
        admitted += outcome.get(TestTimeout.SECONDS, TimeUnit.SECONDS) == Outcome.LOCAL ? 1 : 0;
      }
      assertThat(admitted).isEqualTo(10);
      // Nobody holds the windows after a call.
      assertThat(
              threads
                  .submit(() -> local.drain(NOW).size())
                  .get(TestTimeout.SECONDS, TimeUnit.SECONDS))
          .isOne();
      assertThat(
              threads
                  .submit(() -> local.close(NOW).size())
                  .get(TestTimeout.SECONDS, TimeUnit.SECONDS))
          .isZero();
      assertThat(threads.submit(local::open).get(TestTimeout.SECONDS, TimeUnit.SECONDS)).isTrue();
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void itGoesOnFromWhatWasLastSeenInTheSharedWindow() {
    local.open();
    WindowCounts seen = new WindowCounts(new long[] {NOW}, new long[] {9});
    assertThat(local.decide(1, RequestKind.LLM, rules.limits(), NOW, seen).outcome())
        .isEqualTo(Outcome.LOCAL);
    assertThat(local.decide(1, RequestKind.LLM, rules.limits(), NOW, seen).outcome())
        .isEqualTo(Outcome.LIMITED);
    assertThat(local.decide(1, RequestKind.LLM, rules.limits(), NOW + 10_000, seen).outcome())
        .isEqualTo(Outcome.LOCAL);
  }

  @Test
  void whatWasAdmittedInAnEndedWindowIsNotAddedToTheSharedOne() {
    local.open();
    local.decide(1, RequestKind.LLM, rules.limits(), NOW, null);
    assertThat(local.drain(NOW + 10_000)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void itAdmitsWhatTheModelAdmitsAndHandsOverAllOfItOnce(int seed) {
    Random random = new Random(seed);
    RuleSet any = RandomRules.from(random);
    LocalWindows windows = new LocalWindows(any);
    ModelWindows model = new ModelWindows(any);
    ModelWindows handedOver = new ModelWindows(any);
    windows.open();
    long now = NOW + random.nextInt(86_400_000);
    for (int step = 0; step < 3_000; step++) {
      now += random.nextInt(10) == 0 ? random.nextInt(3_000) : 0;
      long key = random.nextInt(3);
      long[] limits = RandomRules.limits(random, any);
      RequestKind kind = RandomRules.kind(random, any);
      Decision decision = windows.decide(key, kind, limits, now, null);
      assertThat(decision.outcome() == Outcome.LOCAL)
          .isEqualTo(model.admit(key, kind, limits, now));
      if (random.nextInt(50) == 0) {
        List<Adjustment> taken = new ArrayList<>(windows.drain(now));
        if (random.nextBoolean()) {
          // It could not be added, and is taken again later.
          windows.restore(taken);
          taken.clear();
        }
        add(taken, handedOver);
      }
    }
    add(windows.close(now), handedOver);
    for (long key = 0; key < 3; key++) {
      for (int rule = 0; rule < any.size(); rule++) {
        boolean runs = model.starts(key)[rule] == any.windowStart(rule, now);
        if (runs && model.used(key)[rule] > 0) {
          assertThat(handedOver.used(key)[rule]).isEqualTo(model.used(key)[rule]);
        }
      }
    }
  }

  private static void add(List<Adjustment> admitted, ModelWindows to) {
    for (Adjustment key : admitted) {
      for (int rule = 0; rule < key.counts().starts().length; rule++) {
        if (key.counts().starts()[rule] >= 0) {
          to.add(key.keyId(), rule, key.counts().starts()[rule], key.counts().used()[rule]);
        }
      }
    }
  }
}
