package io.memorygateway.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.RateLimitConfiguration.Rule;
import io.memorygateway.ratelimit.window.Decision;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import io.memorygateway.ratelimit.window.WindowLimiter;
import io.memorygateway.testing.TestDatabase;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One node with its database. Windows are of a day. */
class RateLimiterIT {
  private static final int DAY = Limits.DAY;

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final List<WindowLimiter> started = new ArrayList<>();

  @BeforeEach
  void awaitRoomInTheDay() {
    Limits.awaitRoomInTheDay();
  }

  @AfterEach
  void stop() throws Exception {
    for (WindowLimiter limiter : started) {
      limiter.stop();
    }
  }

  @Test
  void aRequestMustPassEveryRuleThatAppliesAndARefusedOneConsumesNothing() throws Exception {
    WindowLimiter limiter =
        start(
            Map.of(
                "all", Limits.rule(AppliesTo.ALL, 10, DAY),
                "memory", Limits.rule(AppliesTo.MEMORY, 6, DAY),
                "read", Limits.rule(AppliesTo.MEMORY_READ, 4, DAY)));
    Caller caller = Limits.caller(1);

    assertThat(admitted(limiter, caller, RequestKind.MEMORY_READ, 20)).isEqualTo(4);
    assertThat(admitted(limiter, caller, RequestKind.MEMORY_WRITE, 20)).isEqualTo(2);
    assertThat(admitted(limiter, caller, RequestKind.LLM, 2)).isEqualTo(2);
    assertThat(admitted(limiter, caller, RequestKind.OTHER, 20)).isEqualTo(2);
  }

  @Test
  void requestsThatWaitTogetherAreAdmittedInPartEachWithItsOwnRemainder() throws Exception {
    WindowLimiter limiter = start(Map.of("all", Limits.rule(AppliesTo.ALL, 50, DAY)));
    ExecutorService callers = Executors.newFixedThreadPool(64);
    Callable<Decision> call = () -> Limits.decide(limiter, Limits.caller(2), RequestKind.LLM);
    List<Long> remaining = new ArrayList<>();
    for (var decision : callers.invokeAll(java.util.Collections.nCopies(200, call))) {
      if (decision.get().outcome() == Outcome.ALLOWED) {
        remaining.add(decision.get().shown().remaining());
      }
    }
    callers.shutdown();

    assertThat(remaining).hasSize(50).doesNotHaveDuplicates().contains(0L, 49L);
  }

  @Test
  void aKeysOwnLimitStandsInForTheRulesAndMayChangeAtAnyTime() throws Exception {
    WindowLimiter limiter = start(Map.of("all", Limits.rule(AppliesTo.ALL, 5, DAY)));

    assertThat(admitted(limiter, own(3, 8), RequestKind.LLM, 20)).isEqualTo(8);
    Decision lowered = Limits.decide(limiter, own(3, 2), RequestKind.LLM);
    assertThat(lowered.outcome()).isEqualTo(Outcome.LIMITED);
    assertThat(lowered.shown().limit()).isEqualTo(2);
    assertThat(lowered.shown().remaining()).isZero();
    assertThat(admitted(limiter, own(3, 9), RequestKind.LLM, 20)).isEqualTo(1);
    assertThat(admitted(limiter, own(4, 0), RequestKind.LLM, 20)).isZero();
  }

  @Test
  void aLimitThatIsLoweredBelowWhatIsCountedAheadRefusesNobodyBeforeItIsReached() throws Exception {
    WindowLimiter limiter = start(Map.of("all", Limits.rule(AppliesTo.ALL, 1_000_000, DAY)));
    for (int key = 40; key < 60; key++) {
      int admitted = 0;
      while (Arrays.stream(limiter.heldAhead(key)).sum() < 4) {
        assertThat(admitted(limiter, own(key, 1_000_000), RequestKind.LLM, 1)).isOne();
        admitted++;
      }
      Caller lowered = own(key, admitted + 3L);
      assertThat(admitted(limiter, lowered, RequestKind.LLM, 20)).as("key %d", key).isEqualTo(3);
    }
  }

  @Test
  void whereNoRuleAppliesEverythingPassesUncounted() throws Exception {
    WindowLimiter limiter = start(Map.of("llm", Limits.rule(AppliesTo.LLM, 1, DAY)));
    assertThat(admitted(limiter, Limits.caller(5), RequestKind.MEMORY_READ, 20)).isEqualTo(20);

    WindowLimiter without = start(Map.of());
    assertThat(admitted(without, Limits.caller(5), RequestKind.LLM, 20)).isEqualTo(20);
    assertThat(without.isShared()).isTrue();
  }

  @Test
  void theAddressMaySayWhatItLikes() throws Exception {
    String adverse =
        "&allowMultiQueries=false&socketTimeout=1&connectTimeout=1&useServerPrepStmts=true";
    WindowLimiter limiter =
        limiter(
            Limits.patient(Map.of("all", Limits.rule(AppliesTo.ALL, 3, DAY))),
            new DatabaseAddress(
                DATABASE.url() + adverse,
                DATABASE.user(),
                DATABASE.password(),
                Map.of("allowMultiQueries", "false", "useAffectedRows", "true")));

    assertThat(limiter.isShared()).isTrue();
    assertThat(admitted(limiter, Limits.caller(30), RequestKind.LLM, 20)).isEqualTo(3);
  }

  private WindowLimiter start(Map<String, Rule> rules) throws Exception {
    return limiter(Limits.patient(rules), Limits.address(DATABASE));
  }

  private WindowLimiter limiter(RateLimitConfiguration configuration, DatabaseAddress address)
      throws Exception {
    WindowLimiter limiter = Limits.limiter(configuration, address);
    started.add(limiter);
    Limits.start(limiter);
    return limiter;
  }

  private static Caller own(long keyId, long limit) {
    return Limits.caller(keyId, Map.of("all", limit));
  }

  private static long admitted(
      WindowLimiter limiter, Caller caller, RequestKind kind, int requests) {
    long admitted = 0;
    for (int i = 0; i < requests; i++) {
      if (Limits.decide(limiter, caller, kind).outcome() == Outcome.ALLOWED) {
        admitted++;
      }
    }
    return admitted;
  }
}
