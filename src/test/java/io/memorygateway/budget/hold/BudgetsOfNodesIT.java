package io.memorygateway.budget.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.auth.Caller;
import io.memorygateway.budget.BudgetTerms;
import io.memorygateway.budget.Settlements.Reached;
import io.memorygateway.database.Home;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.testing.DatabaseRelay;
import io.memorygateway.testing.DatabaseRelay.LostCommit;
import io.memorygateway.testing.TestDatabase;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §15, on a database: what is held is settled once, by any number of nodes. */
class BudgetsOfNodesIT extends BudgetsOfSystem {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  BudgetsOfNodesIT() {
    super(DATABASE);
  }

  /** What a node asks its clock for last, before it looks who may be waited for. */
  @Test
  void aCallThatIsSettledRightAfterTheRefusalOfAnotherIsNotOverlooked() {
    Queue<Runnable> asked = new ArrayDeque<>();
    InstantSource clock =
        () -> {
          Runnable meanwhile = asked.poll();
          if (meanwhile != null) {
            meanwhile.run();
          }
          return Instant.now();
        };
    Budgets node = node(clock, false);
    Caller caller = caller(key("k", 1000), Map.of());
    OpenHold first = requireHeld(node, tokens(caller, 10, 890));
    asked.add(() -> {});
    asked.add(() -> settle(first, 42));

    OpenHold second = requireHeld(node, tokens(caller, 10, 890));

    assertThat(asked).isEmpty();
    assertThat(windows()).containsExactly("k 42/900");
    settle(second, 1);
  }

  /** A node asks its clock twice for a decision, and once for a refusal. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRefusalIsDecidedOnceThoughOthersAreSettledOrItselfKnewOfIt(boolean before) {
    Queue<Runnable> asked = new ArrayDeque<>();
    AtomicInteger decisions = new AtomicInteger();
    InstantSource clock =
        () -> {
          decisions.incrementAndGet();
          Runnable meanwhile = asked.poll();
          if (meanwhile != null) {
            meanwhile.run();
          }
          return Instant.now();
        };
    Budgets node = node(clock, false);
    Caller caller = caller(key("k", 1000), Map.of());
    Caller another = caller(owner + 1, owner + 1, key("k", 1000), Map.of());
    OpenHold lasting = requireHeld(node, tokens(caller, 10, 890));
    OpenHold of = requireHeld(node, tokens(before ? caller : another, 10, 40));
    if (!before) {
      asked.add(() -> {});
    }
    asked.add(() -> settle(of, 42));
    decisions.set(0);

    assertThatThrownBy(() -> node.hold(tokens(caller, 10, 890))).isInstanceOf(ApiException.class);

    assertThat(asked).isEmpty();
    assertThat(decisions).hasValue(2 + 1);
    settle(lasting, 1);
  }

  @ParameterizedTest
  @CsvSource({"ANSWER,false", "COMMIT,false", "ANSWER,true", "COMMIT,true"})
  void anUncertainCommitHoldsOnceAndIsNotLost(LostCommit what, boolean away) throws Exception {
    try (DatabaseRelay relay = DatabaseRelay.to(DATABASE.port())) {
      Budgets node = node(relay);
      Caller caller = caller(key("k", 1000), Map.of());
      settle(requireHeld(node, tokens(caller, 1, 1)), 0);
      relay.loseNextCommit("INSERT INTO budget_calls", what, away);

      if (away) {
        assertThatThrownBy(() -> node.hold(tokens(caller, 10, 90)))
            .isInstanceOfSatisfying(
                ApiException.class, e -> assertThat(e.error().status()).isEqualTo(503));
        relay.restore(DATABASE.port());
        org.awaitility.Awaitility.await()
            .untilAsserted(
                () -> {
                  node.passOn(Home.FIRST, false);
                  assertThat(windows()).containsExactly("k 0/0");
                });
      } else {
        OpenHold held = requireHeld(node, tokens(caller, 10, 90));
        assertThat(windows()).containsExactly("k 0/100");
        settle(held, 42);
        assertThat(windows()).containsExactly("k 42/0");
      }
      assertThat(relay.hasLostCommit()).isTrue();
      assertThat(rows("budget_calls") + rows("budget_holds")).isZero();
      assertThat(node.open()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"ANSWER", "COMMIT"})
  void anUncertainCommitOfMoreHoldsItOnce(LostCommit what) throws Exception {
    try (DatabaseRelay relay = DatabaseRelay.to(DATABASE.port())) {
      Budgets node = node(relay);
      OpenHold held = requireHeld(node, tokens(caller(key("k", 1000), Map.of()), 10, 90));
      relay.loseNextCommit("INSERT INTO budget_holds", what, false);

      assertThat(held.more(50)).isTrue();

      assertThat(relay.hasLostCommit()).isTrue();
      assertThat(windows()).containsExactly("k 0/150");
      settle(held, 149);
      assertThat(windows()).containsExactly("k 149/0");
    }
  }

  @Test
  void thresholdsAreToldOnceByWhoeverReachesThem() {
    Budgets one = node(InstantSource.system(), false);
    Budgets other = node(InstantSource.system(), false);
    Caller caller = caller(key("k", 1000), Map.of());

    List<Integer> told = new ArrayList<>();
    int[] used = {499, 1, 299, 1, 150, 49, 1};
    for (int i = 0; i < used.length; i++) {
      OpenHold held = requireHeld(i % 2 == 0 ? one : other, tokens(caller, 0, used[i]));
      settle(held, used[i]).forEach(each -> told.add(each.share()));
    }

    assertThat(told).containsExactly(50, 80, 95, 100);
  }

  @Test
  void eachThresholdIsToldThatOneCallReaches() {
    Budgets node = node(InstantSource.system(), false);
    OpenHold held = requireHeld(node, tokens(caller(key("k", 1000), Map.of()), 0, 960));

    assertThat(settle(held, 960)).extracting(Reached::share).containsExactly(50, 80, 95);
  }

  @Test
  void attemptsOfACallHoldOnceAndSettleWhatEachUsed() {
    Budgets node = node(InstantSource.system(), false);
    OpenHold held = requireHeld(node, tokens(caller(key("k", 1000), Map.of()), 10, 90));

    charge(held, "a/m", false, 30);
    assertThat(windows()).containsExactly("k 30/70");
    assertThat(held.more(20)).isTrue();
    assertThat(windows()).containsExactly("k 30/90");
    charge(held, "b/m", true, 60);

    assertThat(windows()).containsExactly("k 90/0");
  }

  /** Three nodes hold, hold more, give back and settle in windows that they share, in any order. */
  @Tag("heavy")
  @Test
  void noNumberOfNodesOverrunsALimitOrLosesAToken() throws Exception {
    int threads = 12;
    List<Budgets> all = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      all.add(node(InstantSource.system(), false));
    }
    Map<String, BudgetTerms> project = Map.of("p", tokens(30_000, "month"));
    List<Caller> callers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      callers.add(caller(owner + i, owner, key("k", 12_000), project));
    }
    ExecutorService executor = Executors.newFixedThreadPool(threads + 1);
    List<Future<Long>> used = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int seed = t;
      used.add(executor.submit(() -> calls(all, callers, new Random(seed))));
    }
    Future<?> sampler =
        executor.submit(
            () -> {
              while (!used.stream().allMatch(Future::isDone)) {
                assertThat(over()).isZero();
              }
            });
    long sum = 0;
    for (Future<Long> each : used) {
      sum += each.get();
    }
    sampler.get();
    executor.shutdown();

    assertThat(number("SELECT SUM(settled) FROM budget_windows WHERE name = 'p'")).isEqualTo(sum);
    assertThat(number("SELECT SUM(settled) FROM budget_windows WHERE name = 'k'")).isEqualTo(sum);
    assertThat(number("SELECT SUM(held) + SUM(reserved) FROM budget_windows")).isZero();
    assertThat(rows("budget_calls") + rows("budget_holds")).isZero();
    assertThat(sum).isGreaterThan(25_000);
  }

  private long calls(List<Budgets> all, List<Caller> callers, Random random) {
    long sum = 0;
    for (int i = 0; i < 60; i++) {
      Caller caller = callers.get(random.nextInt(callers.size()));
      int input = random.nextInt(50);
      int output = 1 + random.nextInt(400);
      OpenHold held;
      try {
        held = requireHeld(all.get(random.nextInt(all.size())), tokens(caller, input, output));
      } catch (ApiException spent) {
        assertThat(spent.error().status()).isEqualTo(402);
        continue;
      }
      if (random.nextBoolean() && held.more(100)) {
        output += 100;
      }
      int first = random.nextInt(10) == 0 ? random.nextInt(input + 1) : 0;
      if (random.nextInt(5) == 0) {
        held.close();
        continue;
      }
      if (first > 0) {
        charge(held, "a/m", false, first);
      }
      int rest = random.nextInt(input + output - first + 1);
      charge(held, "a/m", true, rest);
      sum += first + rest;
    }
    return sum;
  }

  private long over() {
    return number(
        "SELECT COUNT(*) FROM budget_windows WHERE settled + held + reserved > max_amount");
  }
}
