package io.memorygateway.budget.hold;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.auth.Caller;
import io.memorygateway.budget.Ahead;
import io.memorygateway.budget.BudgetSpan;
import io.memorygateway.budget.BudgetTerms;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.budget.Hold;
import io.memorygateway.database.Home;
import io.memorygateway.database.HomeLanes;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.price.ModelPrice;
import io.memorygateway.price.Prices;
import io.memorygateway.testing.DatabaseRelay;
import io.memorygateway.testing.DatabaseRelay.LostCommit;
import io.memorygateway.testing.TestDatabase;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Contract §15, on a database that fails: what is held ahead is held, passed on and given back
 * once, whatever becomes of a commit, a node or the database.
 */
class AheadFailuresIT extends BudgetRig {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int BUSY = 41;

  private static final String WAITING =
      "SELECT COUNT(*) FROM information_schema.INNODB_TRX t"
          + " JOIN information_schema.PROCESSLIST p ON p.ID = t.trx_mysql_thread_id"
          + " WHERE t.trx_state = 'LOCK WAIT' AND p.DB = DATABASE()";

  private final ExecutorService executor = Executors.newCachedThreadPool();

  private final Caller caller = caller(terms(BudgetUnit.TOKENS, 1_000_000_000, null));

  AheadFailuresIT() {
    super(DATABASE);
  }

  @AfterEach
  void endThreads() {
    executor.shutdownNow();
  }

  @ParameterizedTest
  @CsvSource({"ANSWER,false", "COMMIT,false", "ANSWER,true", "COMMIT,true"})
  void anUncertainCommitOfAnAmountHoldsItOnce(LostCommit what, boolean isAway) throws Exception {
    try (DatabaseRelay relay = DatabaseRelay.to(DATABASE.port())) {
      Budgets node = node(DATABASE.url(relay));
      for (int i = 0; i < BUSY - 1; i++) {
        hold(node, 100).close();
      }
      relay.loseNextCommit("INSERT INTO budget_calls", what, isAway);
      if (isAway) {
        assertThatThrownBy(() -> hold(node, 100)).isInstanceOf(ApiException.class);
        relay.restore(DATABASE.port());
      } else {
        OpenHold call = hold(node, 100);
        assertThat(call.hold().taken()).isNotNull();
        assertThat(number("SELECT COUNT(*) FROM budget_calls")).isOne();
        charge(call, 7);
      }
      assertThat(relay.hasLostCommit()).isTrue();
      allIsGivenBack(node, isAway ? 0 : 7);
    }
  }

  @ParameterizedTest
  @CsvSource({"ANSWER,false", "COMMIT,false", "ANSWER,true", "COMMIT,true"})
  void anUncertainCommitPassesACallOnOnce(LostCommit what, boolean isAway) throws Exception {
    try (DatabaseRelay relay = DatabaseRelay.to(DATABASE.port())) {
      Budgets node = busy(DATABASE.url(relay));
      OpenHold lasting = hold(node, 100);
      OpenHold other = hold(node, 100);
      later(Duration.ofSeconds(2));
      relay.loseNextCommit("INSERT INTO budget_calls", what, isAway);
      node.passOn(Home.FIRST, false);
      if (isAway) {
        relay.restore(DATABASE.port());
      }
      charge(other, 40);
      Awaitility.await()
          .untilAsserted(
              () -> {
                node.passOn(Home.FIRST, false);
                assertThat(lasting.hold().taken()).isNull();
                assertThat(state()).isEqualTo("40/100");
              });
      assertThat(relay.hasLostCommit()).isTrue();
      charge(lasting, 60);
      allIsGivenBack(node, 100);
    }
  }

  @Test
  void anAmountWhoseCallsCannotBePassedOnKeepsNoOtherFromIt() {
    AtomicBoolean isToFail = new AtomicBoolean();
    Budgets node = node(() -> failingOnce(open(DATABASE.url()), isToFail));
    List<OpenHold> lasting = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      busy(node);
      lasting.add(hold(node, 100));
      later(Duration.ofSeconds(2));
    }
    assertThat(lasting).extracting(call -> call.hold().ahead()).doesNotContainNull();

    isToFail.set(true);
    node.passOn(Home.FIRST, false);
    assertThat(lasting).filteredOn(call -> call.hold().taken() == null).hasSize(1);

    node.passOn(Home.FIRST, false);
    assertThat(lasting).allMatch(call -> call.hold().taken() == null);
  }

  /** A connection that refuses to work once, and is still there. */
  private static Connection failingOnce(Connection connection, AtomicBoolean isToFail) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().endsWith("Statement") && isToFail.getAndSet(false)) {
                throw new SQLException("a fault");
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** What is left of the amount is then the same as before. */
  @Test
  void aLostCommitBesideACallThatHadEndedIsSeenToBeLost() throws Exception {
    OpenHold ended = hold(busy(DATABASE.url()), 100);
    Hold amount = requireNonNull(ended.hold().ahead()).hold();
    ended.hold().move();
    HoldItem move = HoldItem.move(amount, List.of(new HoldItem.Call(demand(100), ended.hold())));
    HoldItem first = HoldItem.first(4711, demand(100), needs());
    var unused = ended.ended("a/m", true);
    try (DatabaseRelay relay = DatabaseRelay.to(DATABASE.port());
        Connection lost = open(DATABASE.url(relay));
        Connection other = open(DATABASE.url())) {
      relay.loseNextCommit("INSERT INTO budget_calls", LostCommit.COMMIT, false);
      HoldBatch batch = new HoldBatch(lost, List.of(move, first), ZoneOffset.UTC, false);
      assertThatThrownBy(() -> batch.decide(clock.millis(), () -> {}))
          .isInstanceOf(SQLException.class);

      assertThat(batch.isEnding()).isTrue();
      assertThat(batch.isCommitted(other)).isFalse();
      charge(ended, 0); // waits for nothing
    }
    assertThat(number("SELECT COUNT(*) FROM budget_calls WHERE id = 4711")).isZero();
  }

  /** All may have been sent, and nothing be written yet. */
  @Test
  void anOutcomeIsLookedUpOnceTheTransactionHasEnded() throws Exception {
    busy(DATABASE.url());
    HoldItem first = HoldItem.first(4711, demand(100), needs());
    try (DatabaseRelay relay = DatabaseRelay.to(DATABASE.port());
        Connection lost = open(DATABASE.url(relay));
        Connection other = open(DATABASE.url())) {
      relay.loseNextCommit("INSERT INTO budget_calls", LostCommit.HELD, false);
      HoldBatch batch = new HoldBatch(lost, List.of(first), ZoneOffset.UTC, false);
      lost.setNetworkTimeout(Runnable::run, 1000);
      assertThatThrownBy(() -> batch.decide(clock.millis(), () -> {}))
          .isInstanceOf(SQLException.class);

      Future<Boolean> committed = executor.submit(() -> batch.isCommitted(other));
      Awaitility.await().until(() -> committed.isDone() || number(WAITING) > 0);
      assertThat(committed).isNotDone();
      relay.restore(DATABASE.port());
      assertThat(committed.get()).isFalse();
    }
  }

  @Test
  void callsWhoseAmountAnotherNodeHasSettledAreNotPassedOnAgainAndAgain() {
    Budgets node = busy(DATABASE.url());
    OpenHold lost = hold(node, 100);
    jdbi.useHandle(handle -> handle.execute("DELETE FROM budget_calls; DELETE FROM budget_holds"));
    later(Duration.ofSeconds(2));
    node.passOn(Home.FIRST, false);

    assertThat(lost.hold().taken()).isNull();
    assertThat(lost.more(10)).isFalse();
    assertThat(node.open()).containsExactly(lost.hold());
  }

  @Test
  void whatIsHeldForCallsThatAreNotSettledYetIsRenewed() {
    Budgets node = busy(DATABASE.url());
    OpenHold ended = hold(node, 100);
    ended.ended("a/m", true);
    later(Duration.ofSeconds(70));
    node.passOn(Home.FIRST, false);
    jdbi.useHandle(handle -> handle.execute("UPDATE budget_calls SET expires_ms = 1"));

    new BudgetRenewal(node, jdbi, new HomeLanes("renewal", "failed"), null).renew(node.open());

    assertThat(number("SELECT COUNT(*) FROM budget_calls WHERE expires_ms > 1")).isOne();
  }

  @Test
  void anAmountThatCannotBeHadIsAskedForOnceInASecond() {
    Aheads aheads = new Aheads(clock, nanos::get);
    for (int i = 0; i < BUSY; i++) {
      assertThat(aheads.take(demand(100), needs())).isNull();
    }
    AtomicInteger asked = new AtomicInteger();
    UnaryOperator<HoldItem> away =
        item -> {
          asked.incrementAndGet();
          later(Duration.ofMillis(1900));
          throw new ApiException(ApiError.unavailable("away", 1));
        };

    assertThatThrownBy(() -> aheads.open(demand(100), needs(), away))
        .isInstanceOf(ApiException.class);
    assertThat(aheads.open(demand(100), needs(), away)).isNull();

    assertThat(asked).hasValue(1);
  }

  @Test
  void anAmountIsAsOldAsTheQuestionForIt() {
    Aheads aheads = new Aheads(clock, nanos::get);
    for (int i = 0; i < BUSY; i++) {
      assertThat(aheads.take(demand(100), needs())).isNull();
    }
    UnaryOperator<HoldItem> slow =
        item -> {
          item.amount = new Ahead.Amount(1000, 0);
          item.held = new Hold(1, clock.instant(), List.of(), new Hold.Seen(0, 0, 0));
          later(Duration.ofMillis(1100));
          return item;
        };

    assertThat(aheads.open(demand(100), needs(), slow)).isNull();
  }

  @Test
  void aNodeThatStopsGivesBackWhatNobodyTookAndCallsThatGoOnHoldTheirOwn() {
    Budgets node = busy(DATABASE.url());
    OpenHold running = hold(node, 100);

    node.stop();

    assertThat(state()).isEqualTo("0/100");
    charge(running, 30);
    assertThat(state()).isEqualTo("30/0");
  }

  @Test
  void forStreamsWithoutALimitNoMoreIsHeldAheadThanTheyMayTake() {
    Budgets node = node(DATABASE.url());
    Demand stream = demand(caller, 500, true, false, null);
    for (int i = 0; i < BUSY; i++) {
      requireNonNull(node.hold(stream)).close();
      assertThat(node.holdAhead(stream)).isNull();
    }
    OpenHold call = requireNonNull(node.hold(stream));
    assertThat(call.hold().taken()).isEqualTo(new Ahead.Amount(500, 0));
    assertThat(state()).isEqualTo("0/" + 500 * HoldBatch.LEAST_COPIES);
    charge(call, 1);
  }

  /** As many tokens as a budget of dollars allows of a model that costs nothing. */
  @Test
  void noMoreIsHeldAheadThanANumberCanTell() throws Exception {
    Caller dollars = caller(terms(BudgetUnit.USD, 1, null));
    Demand demand = demand(dollars, Long.MAX_VALUE / 8, false, true, price(0));
    Budgets node = node(DATABASE.url());
    for (int i = 0; i < 2 * BUSY; i++) {
      OpenHold call = hold(node, demand);
      assertThat(call.hold().ahead()).isNull();
      call.close();
    }
    allIsGivenBack(node, 0);
  }

  private static BudgetTerms terms(BudgetUnit unit, long limit, @Nullable String mode) {
    return new BudgetTerms(
        unit, BigDecimal.valueOf(limit), BudgetSpan.parse("total"), null, mode, null, null);
  }

  private static Prices.Price price(int output) throws IOException {
    String json = "{\"input\": 0, \"output\": %d}".formatted(output);
    return new Prices.Price(
        new Prices.Model("a", "m"), new ObjectMapper().readValue(json, ModelPrice.class), null);
  }

  private void allIsGivenBack(Budgets node, long settled) {
    later(Duration.ofSeconds(2));
    Awaitility.await()
        .untilAsserted(
            () -> {
              node.passOn(Home.FIRST, false);
              assertThat(state()).isEqualTo(settled + "/0");
            });
    assertThat(number("SELECT COUNT(*) FROM budget_calls")).isZero();
    assertThat(number("SELECT COUNT(*) FROM budget_holds")).isZero();
    assertThat(node.open()).isEmpty();
  }

  /** A node that holds an amount of which nothing is taken. */
  private Budgets busy(String url) {
    Budgets node = node(url);
    busy(node);
    return node;
  }

  private void busy(Budgets node) {
    for (int i = 0; i < BUSY; i++) {
      hold(node, 100).close();
    }
  }

  private OpenHold hold(Budgets node, long tokens) {
    return hold(node, demand(tokens));
  }

  private Demand demand(long tokens) {
    return demand(caller, tokens, false, true, null);
  }

  private List<HoldItem.Need> needs() {
    return node(DATABASE.url()).of(caller.budgets()).stream()
        .map(budget -> new HoldItem.Need(budget, caller.keyId(), demand(100).offers()))
        .toList();
  }
}
