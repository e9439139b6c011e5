package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import io.memorygateway.ratelimit.window.WindowStore.Adjustment;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who decides, the shared windows or this node, and what is handed over between them. */
class LaneStateTest {
  private static final long NOW = 1_800_000_000_000L;
  private static final long KEY = 7;

  private final RuleSet rules =
      new RuleSet(List.of(new RateLimitRule("only", AppliesTo.LLM, 10, Duration.ofDays(1))));
  private final RequestQueue queue = new RequestQueue();
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final DatabaseClock clock = new DatabaseClock(() -> Instant.ofEpochMilli(NOW), () -> 0);
  private final WindowCache cache = new WindowCache(rules, clock);
  private final WindowMetrics metrics = new WindowMetrics(registry, () -> true);

  private LaneState state(StorageFailurePolicy policy) {
    return new LaneState(rules, queue, cache, clock, metrics, policy);
  }

  @Test
  void itBeginsWithoutTheDatabaseAsThePolicySays() {
    LaneState local = state(StorageFailurePolicy.LOCAL);
    LaneState deny = state(StorageFailurePolicy.DENY);
    assertThat(local.isShared()).isFalse();
    assertThat(alone(local).outcome()).isEqualTo(Outcome.LOCAL);
    assertThat(alone(deny)).isEqualTo(Decision.UNAVAILABLE);
  }

  @Test
  void onceTheSharedWindowsDecideNobodyCountsAlone() {
    for (StorageFailurePolicy policy : StorageFailurePolicy.values()) {
      LaneState state = state(policy);
      state.rejoin();
      assertThat(state.isShared()).isTrue();
      assertThat(alone(state)).isNull();
    }
  }

  @Test
  void aNodeOnItsOwnGoesOnFromTheCountersThatItLastRead() {
    cache.put(
        KEY,
        new WindowCounts(new long[] {rules.windowStart(0, NOW)}, new long[] {9}),
        rules.limits());
    LaneState state = state(StorageFailurePolicy.LOCAL);
    assertThat(alone(state).outcome()).isEqualTo(Outcome.LOCAL);
    assertThat(alone(state).outcome()).isEqualTo(Outcome.LIMITED);
  }

  @Test
  void whatWasAdmittedAloneIsHandedOverOnce() {
    LaneState state = state(StorageFailurePolicy.LOCAL);
    alone(state);
    alone(state);
    assertThat(permits(state.drainLocallyAdmitted())).isEqualTo(2);
    assertThat(state.drainLocallyAdmitted()).isEmpty();
    alone(state);
    assertThat(permits(state.rejoin())).isOne();
  }

  @Test
  void whatCouldNotBeAddedIsHandedOverNextTime() {
    LaneState state = state(StorageFailurePolicy.LOCAL);
    alone(state);
    state.restoreLocallyAdmitted(state.drainLocallyAdmitted());
    alone(state);
    assertThat(permits(state.rejoin())).isEqualTo(2);
  }

  @Test
  void theLossOfTheSharedWindowsIsCountedOnce() {
    LaneState state = state(StorageFailurePolicy.LOCAL);
    state.fallBack("never connected");
    assertThat(losses()).isZero();
    state.rejoin();
    state.fallBack("lost");
    state.fallBack("still lost");
    assertThat(losses()).isOne();
    assertThat(state.isShared()).isFalse();
    assertThat(alone(state).outcome()).isEqualTo(Outcome.LOCAL);
  }

  @Test
  void whoWaitsIsReleasedWhenTheSharedWindowsAreLeft() {
    LaneState state = state(StorageFailurePolicy.LOCAL);
    state.rejoin();
    PermitRequest waiting = new PermitRequest(KEY, RequestKind.LLM, rules.limits());
    queue.add(waiting);
    assertThat(state.leave()).isTrue();
    assertThat(waiting.send()).isFalse();
    assertThat(waiting.await(Duration.ofMinutes(5).toNanos())).isNull();
    assertThat(waiting.isTimedOut()).isFalse();
    assertThat(state.leave()).isFalse();
    assertThat(losses()).as("left on purpose").isZero();
  }

  private Decision alone(LaneState state) {
    return state.decideLocally(KEY, RequestKind.LLM, rules.limits());
  }

  private static long permits(List<Adjustment> admitted) {
    return admitted.stream().mapToLong(adjustment -> adjustment.counts().used()[0]).sum();
  }

  private double losses() {
    return registry.scrape("memory_gateway_rate_limit_fallbacks"::equals).stream()
        .map(CounterSnapshot.class::cast)
        .mapToDouble(snapshot -> snapshot.getDataPoints().get(0).getValue())
        .sum();
  }
}
