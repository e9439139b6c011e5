package io.memorygateway.budget.hold;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.memorygateway.auth.Caller;
import io.memorygateway.budget.BudgetSpan;
import io.memorygateway.budget.BudgetTerms;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.budget.Charge;
import io.memorygateway.budget.Hold;
import io.memorygateway.budget.Settlements;
import io.memorygateway.database.Home;
import io.memorygateway.testing.TestDatabase;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Contract §15, on a database: calls that come fast take what is held ahead for them, and nothing
 * of it is lost or counted twice.
 */
class HeldAheadIT extends BudgetRig {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int BUSY = 41;

  private final AtomicLong ahead = new AtomicLong();
  private final List<Budgets> several = new ArrayList<>();

  HeldAheadIT() {
    super(DATABASE);
  }

  @Test
  void fastCallsTakeWhatIsHeldAheadAndItIsGivenBack() {
    Budgets node = busy(caller(1_000_000_000), 100);
    long held = number("SELECT held FROM budget_windows");
    long rows = number("SELECT COUNT(*) FROM budget_calls");

    OpenHold call = requireNonNull(node.holdAhead(demand(caller(1_000_000_000), 100)));

    assertThat(number("SELECT held FROM budget_windows")).isEqualTo(held);
    assertThat(number("SELECT COUNT(*) FROM budget_calls")).isEqualTo(rows);
    charge(call, 30);
    assertThat(state()).isEqualTo("30/" + (held - 30));
    later(Duration.ofSeconds(2));
    node.passOn(Home.FIRST, false);
    assertThat(state()).isEqualTo("30/0");
    assertThat(number("SELECT COUNT(*) FROM budget_calls")).isZero();
  }

  @Test
  void whatIsLookedForInAnotherHomeLosesNothingThatIsToBeGivenBack() {
    Budgets node = busy(caller(1_000_000_000), 100);
    later(Duration.ofMinutes(11));
    node.passOn(new Home(1), false);
    node.passOn(Home.FIRST, false);
    assertThat(state()).isEqualTo("0/0");
    assertThat(number("SELECT COUNT(*) FROM budget_calls")).isZero();
  }

  @Test
  void whatACallDoesNotUseIsHandedOutAgain() {
    Caller caller = caller(1_000_000_000);
    Budgets node = busy(caller, 100);
    long held = number("SELECT held FROM budget_windows");
    for (int i = 0; i < 300; i++) {
      charge(requireNonNull(node.holdAhead(demand(caller, 100))), 2);
    }
    assertThat(state()).isEqualTo("600/" + (held - 600));
  }

  /** What the gateway counts of an input takes as long as it is; its bytes are no fewer. */
  @Test
  void anInputIsTakenByItsBytesAndChargedAsItWasUsed() {
    Caller caller = caller(1_000_000_000);
    Budgets node = busy(caller, 1000);
    Demand call = byBytes(demand(caller, 100), 400);
    assertThat(isAhead(node, call)).isTrue();
    long held = number("SELECT held FROM budget_windows");

    OpenHold hold = requireNonNull(node.holdAhead(call));
    hold.told("a/m", 300);

    assertThat(requireNonNull(hold.hold().taken()).tokens()).isEqualTo(500);
    assertThat(node.mostInput(caller, call.offers(), 400)).isEqualTo(400);
    hold.saw(20);
    assertThat(hold.hold().seen()).isEqualTo(new Hold.Seen(100, 20, 0));
    assertThat(hold.input()).isEqualTo(100);
    charge(hold, 330);
    assertThat(state()).isEqualTo("330/" + (held - 330));
    later(Duration.ofSeconds(2));
    assertThat(isAhead(node, call)).isFalse();
  }

  private static boolean isAhead(Budgets node, Demand call) {
    return node.aheads()
        .has(call.caller().keyId(), call.call().endpoint(), call.route(), call.offers());
  }

  private static Demand byBytes(Demand call, long bytes) {
    return new Demand(
        call.caller(),
        call.call(),
        call.route(),
        call.offers(),
        0,
        bytes,
        bytes / 4,
        call.output(),
        call.isLimited(),
        call.least(),
        call.choices(),
        call.extras());
  }

  @Test
  void aSmallBudgetIsHeldCallByCall() {
    Caller caller = caller(200_000);
    Budgets node = busy(caller, 100);
    assertThat(node.holdAhead(demand(caller, 100))).isNull();
    assertThat(number("SELECT COUNT(*) FROM budget_calls")).isEqualTo(0);
  }

  @Test
  void slowCallsAreHeldOneByOne() {
    Caller caller = caller(1_000_000_000);
    Budgets node = node();
    for (int i = 0; i < 3 * BUSY; i++) {
      later(Duration.ofMillis(50));
      requireNonNull(hold(node, demand(caller, 100))).close();
    }
    assertThat(node.holdAhead(demand(caller, 100))).isNull();
    assertThat(state()).isEqualTo("0/0");
  }

  @Test
  void aCallThatLastsGetsAHoldOfItsOwn() {
    Caller caller = caller(1_000_000_000);
    Budgets node = busy(caller, 100);
    OpenHold lasting = requireNonNull(node.holdAhead(demand(caller, 100)));
    OpenHold ended = requireNonNull(node.holdAhead(demand(caller, 100)));
    Charge late = new Charge(ended.ended("a/m", true), 40, 0);
    late.counted();
    later(Duration.ofSeconds(2));
    node.passOn(Home.FIRST, false);

    assertThat(number("SELECT amount FROM budget_holds WHERE call_id = " + id(lasting)))
        .isEqualTo(100);
    assertThat(number("SELECT COUNT(*) FROM budget_holds WHERE call_id = " + id(ended))).isZero();
    assertThat(lasting.more(50)).isTrue();
    charge(late);
    node.passOn(Home.FIRST, false);
    assertThat(state()).isEqualTo("40/150");
    charge(lasting, 120);
    assertThat(state()).isEqualTo("160/0");
    assertThat(number("SELECT COUNT(*) FROM budget_calls")).isZero();
  }

  @Test
  void aStreamTakesMoreOfItWithoutAHoldOfItsOwn() {
    Caller caller = caller(1_000_000_000);
    Budgets node = busy(caller, 100);
    long rows = number("SELECT COUNT(*) FROM budget_calls");
    OpenHold stream = requireNonNull(node.holdAhead(demand(caller, 100)));
    assertThat(stream.more(100)).isTrue();
    assertThat(number("SELECT COUNT(*) FROM budget_calls")).isEqualTo(rows);
    long held = number("SELECT held FROM budget_windows");
    charge(stream, 190);
    assertThat(state()).isEqualTo("190/" + (held - 190));
  }

  @Test
  void aChangedBudgetTakesNothingOfTheOldOne() {
    Caller caller = caller(1_000_000_000);
    Budgets node = busy(caller, 100);
    assertThat(node.holdAhead(demand(caller(2_000_000_000), 100))).isNull();
  }

  @Test
  void nothingIsTakenOnceEitherClockTellsThatItIsOld() {
    Caller caller = caller(1_000_000_000);
    Budgets node = busy(caller, 100);
    clock.advance(Duration.ofSeconds(2));
    assertThat(node.holdAhead(demand(caller, 100))).isNull();
    Budgets other = busy(caller, 100);
    clock.advance(Duration.ofHours(-1));
    nanos.addAndGet(Duration.ofMillis(1100).toNanos());
    assertThat(other.holdAhead(demand(caller, 100))).isNull();
  }

  /** A log that is slower than the calls slows them; the database decides for none of them. */
  @Test
  void whereManyCallsAreNotSettledFurtherOnesWaitForTheLog() throws Exception {
    Caller caller = caller(1_000_000_000);
    Budgets node = busy(caller, 1);
    List<OpenHold> open = new ArrayList<>();
    for (int i = 0; i < 4096; i++) {
      open.add(hold(node, demand(caller, 1)));
    }
    assertThat(node.holdAhead(demand(caller, 1))).isNull();
    AtomicReference<OpenHold> further = new AtomicReference<>();
    Thread waiting = new Thread(() -> further.set(hold(node, demand(caller, 1))));
    waiting.start();
    await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);

    charge(open.get(0), 1);

    waiting.join();
    assertThat(further.get().hold().taken()).isNotNull();
    assertThat(number("SELECT COUNT(*) FROM budget_calls WHERE request_id <> 'ahead'")).isZero();
  }

  @Test
  void aCallThatNeverWentUpGivesBackAndAnAttemptThatFailedIsCharged() {
    Caller caller = caller(1_000_000_000);
    Budgets node = busy(caller, 100);
    requireNonNull(node.holdAhead(demand(caller, 100))).close();
    OpenHold call = requireNonNull(node.holdAhead(demand(caller, 100)));
    charge(new Charge(call.ended("a/m", false), 25, 0));
    charge(call, 60);
    later(Duration.ofSeconds(2));
    node.passOn(Home.FIRST, false);
    assertThat(state()).isEqualTo("85/0");
  }

  @Test
  void whatAnotherNodeHasSettledIsNotChargedAgain() {
    Caller caller = caller(1_000_000_000);
    Budgets node = busy(caller, 100);
    OpenHold call = requireNonNull(node.holdAhead(demand(caller, 100)));
    jdbi.useHandle(handle -> handle.execute("DELETE FROM budget_calls; DELETE FROM budget_holds"));
    Charge charge = new Charge(call.ended("a/m", true), 30, 0);
    assertThatExceptionOfType(Settlements.LostException.class)
        .isThrownBy(() -> settle(charge))
        .satisfies(lost -> assertThat(lost.calls()).containsExactly(call.hold()));
    assertThat(number("SELECT settled FROM budget_windows")).isZero();
  }

  /** Nodes hold ahead, hand out, move and settle side by side; another samples the windows. */
  @Tag("heavy")
  @Test
  void noNumberOfNodesOverrunsALimitOrLosesAToken() throws Exception {
    Caller caller = caller(3_000_000);
    int threads = 8;
    for (int i = 0; i < 3; i++) {
      several.add(node());
    }
    ExecutorService executor = Executors.newFixedThreadPool(threads + 2);
    List<Future<Long>> used = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int seed = t;
      used.add(executor.submit(() -> calls(caller, new Random(seed))));
    }
    Future<?> sampler =
        executor.submit(
            () -> {
              while (!used.stream().allMatch(Future::isDone)) {
                assertThat(
                        number(
                            "SELECT COUNT(*) FROM budget_windows"
                                + " WHERE settled + held + reserved > max_amount"))
                    .isZero();
              }
            });
    Future<?> passing =
        executor.submit(
            () -> {
              while (!used.stream().allMatch(Future::isDone)) {
                several.forEach(each -> each.passOn(Home.FIRST, false));
              }
            });
    long sum = 0;
    for (Future<Long> each : used) {
      sum += each.get();
    }
    sampler.get();
    passing.get();
    executor.shutdown();
    later(Duration.ofSeconds(2));
    several.forEach(each -> each.passOn(Home.FIRST, false));

    assertThat(ahead.get()).isGreaterThan(100);
    assertThat(state()).isEqualTo(sum + "/0");
    assertThat(number("SELECT COUNT(*) FROM budget_calls")).isZero();
    assertThat(number("SELECT COUNT(*) FROM budget_holds")).isZero();
  }

  private long calls(Caller caller, Random random) {
    long sum = 0;
    for (int i = 0; i < 100; i++) {
      nanos.addAndGet(Duration.ofMillis(3).toNanos());
      Budgets node = several.get(random.nextInt(3));
      OpenHold held = requireNonNull(hold(node, demand(caller, 20)));
      ahead.addAndGet(held.hold().taken() == null ? 0 : 1);
      long most = random.nextBoolean() && held.more(10) ? 30 : 20;
      if (random.nextInt(5) == 0) {
        held.close();
        continue;
      }
      long tokens = random.nextLong(most + 1);
      charge(held, tokens);
      sum += tokens;
    }
    return sum;
  }

  /** A node whose calls have come fast, and are over. */
  private Budgets busy(Caller caller, long tokens) {
    Budgets node = node();
    for (int i = 0; i < BUSY + 1; i++) {
      requireNonNull(hold(node, demand(caller, tokens))).close();
    }
    return node;
  }

  private static long id(OpenHold call) {
    return call.hold().callId();
  }

  private static Demand demand(Caller caller, long tokens) {
    return demand(caller, tokens, false, true, null);
  }

  private static Caller caller(long limit) {
    BudgetTerms terms =
        new BudgetTerms(
            BudgetUnit.TOKENS,
            BigDecimal.valueOf(limit),
            BudgetSpan.parse("total"),
            null,
            null,
            null,
            null);
    return caller(terms);
  }

  private Budgets node() {
    return node(DATABASE.url());
  }
}
