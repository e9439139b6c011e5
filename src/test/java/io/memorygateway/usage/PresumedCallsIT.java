package io.memorygateway.usage;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.auth.Caller;
import io.memorygateway.auth.KeyScopes;
import io.memorygateway.budget.BudgetSpan;
import io.memorygateway.budget.BudgetTerms;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.budget.BudgetsConfiguration;
import io.memorygateway.budget.Covered;
import io.memorygateway.budget.OwnBudgets;
import io.memorygateway.budget.Settlements.Reached;
import io.memorygateway.budget.hold.Budgets;
import io.memorygateway.budget.hold.Demand;
import io.memorygateway.budget.hold.OpenHold;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.database.Home;
import io.memorygateway.figures.CallFigures;
import io.memorygateway.figures.TestFigures;
import io.memorygateway.ratelimit.Limits;
import io.memorygateway.testing.TestDatabase;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §15: what a dead node's calls hold is settled by another one, once. */
class PresumedCallsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final BudgetTerms TERMS =
      new BudgetTerms(
          BudgetUnit.TOKENS,
          BigDecimal.valueOf(1_000_000),
          BudgetSpan.parse("day"),
          null,
          null,
          null,
          null);
  private static final Caller CALLER = caller(Home.FIRST);

  private final Jdbi jdbi = DATABASE.jdbi();

  @AutoClose("stop")
  private Budgets node;

  @BeforeEach
  void empty() {
    Limits.awaitRoomInTheDay();
    // Its time stands still, as what it holds ahead is of no use to it a second later.
    node =
        new Budgets(
            new BudgetsConfiguration(ZoneOffset.UTC, 500, false, false, List.of()),
            PresumedCallsIT::open,
            InstantSource.fixed(Instant.now()),
            () -> 0,
            new PrometheusRegistry());
    jdbi.useHandle(
        handle ->
            handle.execute(
                "DELETE FROM budget_windows; DELETE FROM budget_calls; DELETE FROM budget_holds;"
                    + " DELETE FROM request_log; DELETE FROM usage_days"));
  }

  @Test
  void aHoldWhoseLeaseRanOutIsSettledAtWhatWasSeenWithItsRow() {
    OpenHold unused = hold(10, 90);
    OpenHold alive = hold(1, 1);
    expire("input_tokens = 10");
    jdbi.useHandle(
        handle ->
            handle.execute("UPDATE budget_calls SET output_tokens = 33 WHERE expires_ms = 1"));

    assertThat(presumed(jdbi).settle()).isZero();

    assertThat(window()).isEqualTo("43/2");
    assertThat(log()).containsExactly("presumed 10 33 null node_lost 503");
    assertThat(number("SELECT SUM(input_tokens + output_tokens) FROM usage_days")).isEqualTo(43);
    alive.close();
    assertThat(window()).isEqualTo("43/0");
  }

  @Test
  void theLateRowOfASlowNodeIsNotCountedTwice() throws Exception {
    OpenHold slow = hold(10, 90);
    OpenHold other = hold(10, 90);
    Covered ended = slow.ended("a/m", true);
    expire("id = " + ended.hold().callId());
    assertThat(presumed(jdbi).settle()).isZero();

    CallLog log = new CallLog(jdbi, reached -> {}, new PrometheusRegistry());
    log.start();
    // In one batch with a row that is new.
    log.add(row(ended, 10, 77));
    Covered written = other.ended("a/m", true);
    log.add(row(written, 10, 5));
    written.hold().settled().get();
    ended.hold().settled().get();
    log.stop();

    assertThat(window()).isEqualTo("25/0");
    assertThat(log())
        .containsExactlyInAnyOrder(
            "presumed 10 0 null node_lost 503", "reported 10 5 null null 200");
    assertThat(number("SELECT SUM(input_tokens + output_tokens) FROM usage_days")).isEqualTo(25);
  }

  @Test
  void whatADeadNodeHeldAheadIsSettledAtWhatIsLeftOfItAndItsLateRowsAreNotWritten()
      throws Exception {
    for (int i = 0; i < 42; i++) {
      hold(1, 1).close();
    }
    OpenHold settled = requireNonNull(node.holdAhead(demand(1, 1)));
    OpenHold late = requireNonNull(node.holdAhead(demand(1, 1)));
    long held = number("SELECT held FROM budget_windows");
    CallLog log = new CallLog(jdbi, reached -> {}, new PrometheusRegistry());
    log.start();
    Covered ended = settled.ended("a/m", true);
    log.add(row(ended, 1, 0));
    ended.hold().settled().get();
    assertThat(window()).isEqualTo("1/" + (held - 1));

    expire("TRUE");
    assertThat(presumed(jdbi).settle()).isZero();
    Covered lost = late.ended("a/m", true);
    log.add(row(lost, 1, 1));
    lost.hold().settled().get();
    log.stop();

    assertThat(window()).isEqualTo(held + "/0");
    assertThat(log())
        .containsExactlyInAnyOrder(
            "presumed 0 %d null node_lost 503".formatted(held - 1), "reported 1 0 null null 200");
    assertThat(number("SELECT SUM(input_tokens + output_tokens) FROM usage_days")).isEqualTo(held);
  }

  /** A node that was away from the database as well renews what it holds, if it lives. */
  @Test
  void afterAnOutageNodesHaveTimeToRenew() {
    OpenHold unused = hold(10, 90);
    expire("TRUE");
    AtomicBoolean away = new AtomicBoolean(true);
    ConnectionFactory source =
        () -> {
          if (away.get()) {
            throw new SQLException("away");
          }
          return DATABASE.connect();
        };
    PresumedCalls presumed = presumed(Jdbi.create(source));
    assertThatThrownBy(presumed::settle).isInstanceOf(ConnectionException.class);
    away.set(false);

    for (int i = 0; i < PresumedCalls.RUNS_TO_RENEW; i++) {
      assertThat(presumed.settle()).isZero();
      assertThat(window()).isEqualTo("0/100");
    }
    assertThat(presumed.settle()).isZero();
    assertThat(window()).isEqualTo("10/0");
  }

  /** All others lock windows after the totals of the log. */
  @Test
  void noWindowIsLockedWhileTotalsAreWaitedFor() throws Exception {
    OpenHold first = hold(10, 90);
    OpenHold second = hold(10, 90);
    expire("id = " + first.ended("a/m", true).hold().callId());
    assertThat(presumed(jdbi).settle()).isZero();
    expire("id = " + second.ended("a/m", true).hold().callId());
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try (Connection totals = open();
        Connection windows = open();
        Statement lockTotals = totals.createStatement();
        Statement lockWindows = windows.createStatement()) {
      lockTotals.execute("SELECT * FROM usage_days FOR UPDATE");
      Future<?> settled = executor.submit(() -> presumed(jdbi).settle());
      Awaitility.await()
          .until(
              () ->
                  number(
                          "SELECT COUNT(*) FROM information_schema.innodb_trx"
                              + " WHERE trx_state = 'LOCK WAIT'")
                      > 0);

      lockWindows.execute("SELECT * FROM budget_windows FOR UPDATE NOWAIT");

      windows.rollback();
      totals.rollback();
      settled.get();
    }
    executor.shutdown();
    assertThat(window()).isEqualTo("20/0");
  }

  @Test
  void ofSeveralNodesOneSettlesEachCall() throws Exception {
    for (int i = 0; i < 350; i++) {
      OpenHold unused = requireNonNull(node.hold(demand(10, 90)));
    }
    expire("TRUE");

    Jdbi asTheGateway =
        Jdbi.create(
            () -> {
              Connection connection = DATABASE.connect();
              connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
              return connection;
            });
    ExecutorService nodes = Executors.newFixedThreadPool(3);
    List<Future<?>> settlers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      settlers.add(
          nodes.submit(
              () -> {
                PresumedCalls presumed = presumed(asTheGateway);
                while (number("SELECT COUNT(*) FROM budget_calls") > 0) {
                  try {
                    presumed.settle();
                  } catch (IllegalStateException e) {
                    // New rows of the totals can meet; the next run settles them.
                    assertThat(DatabaseFailure.of(e)).isEqualTo(DatabaseFailure.ROLLED_BACK);
                  }
                }
              }));
    }
    for (Future<?> each : settlers) {
      each.get();
    }
    nodes.shutdown();

    assertThat(window()).isEqualTo("3500/0");
    assertThat(number("SELECT COUNT(*) FROM request_log")).isEqualTo(350);
    assertThat(number("SELECT COUNT(*) FROM budget_holds")).isZero();
  }

  @Test
  void whatBudgetsOfOneHomeCameToIsToldWhereAnotherHomeFails() {
    Home other = new Home(1);
    jdbi.useHandle(
        handle ->
            handle.execute(
                "INSERT INTO projects (id, public_id, name, created_at) VALUES (?, 'other',"
                    + " 'other', UTC_TIMESTAMP(3))",
                other.first() + 8));
    OpenHold unused = hold(10, 600_000);
    assertThat(node.hold(demand(caller(other), 10, 600_000))).isNotNull();
    expire("TRUE");
    jdbi.useHandle(
        handle -> {
          handle.execute("UPDATE budget_calls SET output_tokens = 600000");
          handle.execute("UPDATE budget_windows SET unit = 'none' WHERE owner_id > 7");
        });
    List<Reached> told = new ArrayList<>();
    PresumedCalls presumed = new PresumedCalls(jdbi, told::addAll);

    assertThatThrownBy(presumed::settle).isInstanceOf(IllegalArgumentException.class);

    assertThat(told).hasSize(1);
  }

  private static PresumedCalls presumed(Jdbi jdbi) {
    return new PresumedCalls(jdbi, reached -> {});
  }

  private OpenHold hold(long input, long output) {
    OpenHold ahead = node.holdAhead(demand(input, output));
    return ahead == null ? requireNonNull(node.hold(demand(input, output))) : ahead;
  }

  private static Caller caller(Home home) {
    return new Caller(
        home.first() + 7,
        home.first() + 8,
        "p",
        "p",
        "k",
        Map.of(),
        new OwnBudgets(Map.of("b", TERMS), Map.of()),
        KeyScopes.ALL);
  }

  private static Demand demand(long input, long output) {
    return demand(CALLER, input, output);
  }

  private static Demand demand(Caller caller, long input, long output) {
    return new Demand(
        caller,
        new Demand.Call("request", null, "chat", true),
        null,
        List.of(new Demand.Offer("a/m", "a", "m", null)),
        input,
        input,
        input,
        output,
        true,
        1,
        1,
        null);
  }

  private static LoggedCall row(Covered covered, long input, long output) {
    CallFigures figures =
        TestFigures.answered("a", "m", 200, TestFigures.tokens(input, output, -1L));
    return new LoggedCall(
        covered.hold().startedAt(),
        covered.hold().callId(),
        8,
        7,
        "request",
        null,
        "chat",
        null,
        null,
        new CallFigures(
            "a",
            "m",
            200,
            true,
            figures.values(),
            io.memorygateway.figures.Counted.REPORTED,
            null,
            figures.attempt()),
        covered);
  }

  private void expire(String which) {
    jdbi.useHandle(
        handle -> handle.execute("UPDATE budget_calls SET expires_ms = 1 WHERE " + which));
  }

  private String window() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT CONCAT(settled, '/', held) FROM budget_windows")
                .mapTo(String.class)
                .one());
  }

  private List<String> log() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    "SELECT CONCAT_WS(' ', counted, input_tokens, output_tokens,"
                        + " COALESCE(cost, 'null'), COALESCE(error_type, 'null'), status)"
                        + " FROM request_log")
                .mapTo(String.class)
                .list());
  }

  private long number(String sql) {
    return jdbi.withHandle(handle -> handle.createQuery(sql).mapTo(Long.class).one());
  }

  private static Connection open() throws SQLException {
    Connection connection =
        DriverManager.getConnection(
            DATABASE.url() + "&allowMultiQueries=true", DATABASE.user(), DATABASE.password());
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    connection.setAutoCommit(false);
    return connection;
  }
}
