package io.memorygateway.budget.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.auth.Caller;
import io.memorygateway.auth.KeyScopes;
import io.memorygateway.budget.BudgetSpan;
import io.memorygateway.budget.BudgetTerms;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.budget.BudgetsConfiguration;
import io.memorygateway.budget.Charge;
import io.memorygateway.budget.OwnBudgets;
import io.memorygateway.budget.Settlements;
import io.memorygateway.budget.Settlements.Reached;
import io.memorygateway.database.Home;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.price.ModelPrice;
import io.memorygateway.price.Prices;
import io.memorygateway.ratelimit.Limits;
import io.memorygateway.testing.DatabaseRelay;
import io.memorygateway.testing.DatabaseRelay.LostCommit;
import io.memorygateway.testing.TestDatabase;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;
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
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Contract §15, on a database: held is all or nothing, once, and never more than a limit leaves.
 */
class BudgetsOnDatabaseIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final AtomicInteger OWNERS = new AtomicInteger(100);

  private final Jdbi jdbi = DATABASE.jdbi();
  private final List<Budgets> nodes = new ArrayList<>();
  private final long owner = OWNERS.getAndIncrement();

  @BeforeEach
  void empty() {
    Limits.awaitRoomInTheDay();
    jdbi.useHandle(
        handle ->
            handle.execute(
                "DELETE FROM budget_windows; DELETE FROM budget_calls; DELETE FROM budget_holds"));
  }

  @AfterEach
  void stop() {
    nodes.forEach(Budgets::stop);
  }

  @Test
  void aCallIsHeldByAllItsBudgetsOrByNone() {
    Budgets node = node(InstantSource.system(), false);
    Caller caller = caller(key("k", 1000), Map.of("p", tokens(150, "month")));

    OpenHold held = requireHeld(node, tokens(caller, 10, 90));
    assertThat(windows()).containsExactlyInAnyOrder("k 0/100", "p 0/100");
    assertThatThrownBy(() -> node.hold(tokens(caller, 10, 90)))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> assertThat(e.error().message()).contains("'p'", "limit 150", "held 100"));

    assertThat(windows()).containsExactlyInAnyOrder("k 0/100", "p 0/100");
    settle(held, 42);
    assertThat(windows()).containsExactlyInAnyOrder("k 42/0", "p 42/0");
    assertThat(rows("budget_calls") + rows("budget_holds")).isZero();
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

  /** A node's clock says nothing: the window is that of the database's time. */
  @ParameterizedTest
  @CsvSource({"-40", "40", "0"})
  void aNodeWhoseClockIsWrongCountsInTheSameWindow(int days) {
    Caller caller = caller(key("k", 1000), Map.of());
    InstantSource wrong = () -> Instant.now().plus(Duration.ofDays(days));

    OpenHold unused = requireHeld(node(InstantSource.system(), false), tokens(caller, 10, 90));
    OpenHold other = requireHeld(node(wrong, false), tokens(caller, 10, 90));

    assertThat(windows()).filteredOn(each -> !each.endsWith("0/0")).containsExactly("k 0/200");
    settle(other, 1);
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
  void aStreamGetsMoreUntilNothingIsLeft() {
    Budgets node = node(InstantSource.system(), false);
    Caller caller = caller(key("k", 300), Map.of("p", tokens(250, "total")));
    OpenHold held = requireHeld(node, tokens(caller, 10, 90));

    assertThat(held.more(100)).isTrue();
    assertThat(held.more(51)).as("250 of the project").isFalse();
    assertThat(held.more(50)).isTrue();
    assertThat(held.more(1)).isFalse();

    assertThat(held.output()).isEqualTo(240);
    assertThat(windows()).containsExactlyInAnyOrder("k 0/250", "p 0/250");
    held.close();
    assertThat(windows()).containsExactlyInAnyOrder("k 0/0", "p 0/0");
  }

  @Test
  void aHoldThatAnotherNodeTookForDeadGetsNoMore() {
    OpenHold held =
        requireHeld(
            node(InstantSource.system(), false), tokens(caller(key("k", 300), Map.of()), 10, 90));
    jdbi.useHandle(handle -> handle.execute("DELETE FROM budget_holds"));

    assertThat(held.more(1)).isFalse();
  }

  /** Such a call comes to more than a number of the database can tell. */
  @Test
  void aShadowBudgetHoldsNoCallUpHoweverMuchItAsksFor() {
    Budgets node = node(InstantSource.system(), false);
    BudgetTerms shadow =
        new BudgetTerms(
            BudgetUnit.USD, BigDecimal.ONE, BudgetSpan.parse("day"), null, "shadow", null, null);
    Caller caller = caller(Map.of("s", shadow), Map.of());
    Prices.Price price = price("{\"input\": 1000, \"output\": 100000}");

    List<OpenHold> held = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      held.add(requireHeld(node, priced(caller, 10, 9_000_000_000_000L, false, price)));
      held.add(requireHeld(node, priced(caller, 10, 80_000_000L, false, price)));
    }
    assertThat(held.get(0).more(1000)).isTrue();
    held.forEach(OpenHold::close);

    assertThat(windows()).containsExactly("s 0/0");
  }

  @Test
  void aLimitThatIsLoweredBelowWhatIsUsedRefusesAndHoldsNoMore() {
    Budgets node = node(InstantSource.system(), false);
    OpenHold held = requireHeld(node, tokens(caller(key("k", 1000), Map.of()), 10, 490));
    settle(requireHeld(node, tokens(caller(key("k", 1000), Map.of()), 10, 90)), 100);

    Caller lowered = caller(key("k", 50), Map.of());
    assertThatThrownBy(() -> node.hold(tokens(lowered, 1, 1)))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> assertThat(e.error().message()).contains("limit 50 tokens, used 100, held 500"));

    assertThat(held.more(1)).as("the limit is the new one at once").isFalse();
    settle(held, 500);
    assertThat(windows()).containsExactly("k 600/0");
    OpenHold raised = requireHeld(node, tokens(caller(key("k", 602), Map.of()), 1, 1));
    assertThat(raised.more(1)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"100, 900, 900", "250, 900, 750", "999, 900, 1", "1000, 900, -1", "500, 200, -1"})
  void aClampedCallIsLimitedToTheLargestOutputThatFits(long used, long output, long limit) {
    Budgets node = node(InstantSource.system(), true);
    Caller caller = caller(key("k", 1100), Map.of());
    settle(requireHeld(node, tokens(caller, 0, 1)), used);

    if (limit < 0 && used == 1000) {
      assertThatThrownBy(() -> node.hold(tokens(caller, 100, output)))
          .isInstanceOf(ApiException.class);
    } else {
      assertThat(requireHeld(node, tokens(caller, 100, output)).limit())
          .isEqualTo(limit == 900 ? -1 : limit);
    }
  }

  @Test
  void anAnswerWithoutALimitReservesWhatItMayBeLongerAndIsLimitedWhereThatDoesNotFit() {
    Budgets node = node(InstantSource.system(), false);
    Caller caller = caller(key("k", 140_000), Map.of());
    Prices.Price none = null;

    OpenHold free = requireHeld(node, priced(caller, 10, 500, false, none));
    assertThat(free.limit()).isEqualTo(-1);
    assertThat(windows()).containsExactly("k 0/510+130572");
    OpenHold limited = requireHeld(node, priced(caller, 10, 500, false, none));
    assertThat(limited.limit()).isEqualTo(500 + 2102);
    assertThat(windows()).containsExactly("k 0/1020+132674");

    settle(free, 131_082);
    settle(limited, 510);
    assertThat(windows()).containsExactly("k 131592/0");
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
      callers.add(
          new Caller(
              owner + i,
              owner,
              "p",
              "p",
              "k",
              Map.of(),
              new OwnBudgets(key("k", 12_000), project),
              KeyScopes.ALL));
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

    assertThat(amount("SELECT SUM(settled) FROM budget_windows WHERE name = 'p'")).isEqualTo(sum);
    assertThat(amount("SELECT SUM(settled) FROM budget_windows WHERE name = 'k'")).isEqualTo(sum);
    assertThat(amount("SELECT SUM(held) + SUM(reserved) FROM budget_windows")).isZero();
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

  private Demand tokens(Caller caller, long input, long output) {
    return priced(caller, input, output, true, null);
  }

  private static Demand priced(
      Caller caller, long input, long output, boolean limited, Prices.Price price) {
    return new Demand(
        caller,
        new Demand.Call("request", null, "chat", false),
        null,
        List.of(new Demand.Offer("a/m", "a", "m", price)),
        input,
        input,
        output,
        limited,
        1,
        1,
        null);
  }

  private static Prices.Price price(String json) {
    try {
      return new Prices.Price(
          new Prices.Model("a", "m"), new ObjectMapper().readValue(json, ModelPrice.class), null);
    } catch (java.io.IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static OpenHold requireHeld(Budgets node, Demand demand) {
    OpenHold held = node.hold(demand);
    assertThat(held).isNotNull();
    return held;
  }

  private List<Reached> settle(OpenHold held, long tokens) {
    return charge(held, "a/m", true, tokens);
  }

  /** As the request log does it, on a connection of its own. */
  private List<Reached> charge(OpenHold held, String target, boolean last, long tokens) {
    Charge charge = new Charge(held.ended(target, last), tokens, 0);
    try (Connection connection = DATABASE.connect()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      connection.setAutoCommit(false);
      List<Reached> reached = Settlements.settle(connection, Home.FIRST, List.of(charge));
      connection.commit();
      if (last) {
        charge.of().hold().settled().complete(null);
      }
      return reached;
    } catch (SQLException | Settlements.LostException e) {
      throw new IllegalStateException(e);
    }
  }

  private Caller caller(Map<String, BudgetTerms> ofKey, Map<String, BudgetTerms> ofProject) {
    return new Caller(
        owner, owner, "p", "p", "k", Map.of(), new OwnBudgets(ofKey, ofProject), KeyScopes.ALL);
  }

  private static Map<String, BudgetTerms> key(String name, long limit) {
    return Map.of(name, tokens(limit, "day"));
  }

  private static BudgetTerms tokens(long limit, String window) {
    return new BudgetTerms(
        BudgetUnit.TOKENS,
        BigDecimal.valueOf(limit),
        BudgetSpan.parse(window),
        null,
        null,
        null,
        null);
  }

  private Budgets node(InstantSource clock, boolean clamp) {
    return node(clock, clamp, DATABASE.url());
  }

  private Budgets node(DatabaseRelay relay) {
    return node(InstantSource.system(), false, DATABASE.url(relay));
  }

  private Budgets node(InstantSource clock, boolean clamp, String url) {
    ZoneId zone = ZoneOffset.UTC;
    Budgets node =
        new Budgets(
            new BudgetsConfiguration(zone, 500, clamp, false, List.of()),
            () -> {
              Connection connection =
                  DriverManager.getConnection(
                      url + "&allowMultiQueries=true", DATABASE.user(), DATABASE.password());
              connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
              connection.setAutoCommit(false);
              return connection;
            },
            clock,
            System::nanoTime,
            new PrometheusRegistry());
    nodes.add(node);
    return node;
  }

  /** The budgets with what is settled, held and reserved. */
  private List<String> windows() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    "SELECT CONCAT(name, ' ', settled, '/', held,"
                        + " IF(reserved = 0, '', CONCAT('+', reserved))) FROM budget_windows")
                .mapTo(String.class)
                .list());
  }

  private long over() {
    return amount(
        "SELECT COUNT(*) FROM budget_windows WHERE settled + held + reserved > max_amount");
  }

  private long rows(String table) {
    return amount("SELECT COUNT(*) FROM " + table);
  }

  private long amount(String sql) {
    return jdbi.withHandle(handle -> handle.createQuery(sql).mapTo(Long.class).one());
  }
}
