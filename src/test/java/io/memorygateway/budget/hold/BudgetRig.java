package io.memorygateway.budget.hold;

import static java.util.Objects.requireNonNull;

import io.memorygateway.auth.Caller;
import io.memorygateway.auth.KeyScopes;
import io.memorygateway.budget.BudgetTerms;
import io.memorygateway.budget.BudgetsConfiguration;
import io.memorygateway.budget.Charge;
import io.memorygateway.budget.OwnBudgets;
import io.memorygateway.budget.Settlements;
import io.memorygateway.budget.Settlements.Reached;
import io.memorygateway.database.ConnectionSource;
import io.memorygateway.database.Home;
import io.memorygateway.price.Prices;
import io.memorygateway.testing.ManualClock;
import io.memorygateway.testing.TestDatabase;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Nodes that hold budgets on a database, with clocks that go when the test says so. */
abstract class BudgetRig {
  final Jdbi jdbi;
  final ManualClock clock = new ManualClock(Instant.now());
  final AtomicLong nanos = new AtomicLong();
  private final List<Budgets> nodes = new ArrayList<>();
  private final TestDatabase database;

  BudgetRig(TestDatabase database) {
    this.database = database;
    this.jdbi = database.jdbi();
  }

  @BeforeEach
  void empty() {
    jdbi.useHandle(
        handle ->
            handle.execute(
                "DELETE FROM budget_windows; DELETE FROM budget_calls; DELETE FROM budget_holds"));
  }

  @AfterEach
  void stop() {
    nodes.forEach(Budgets::stop);
  }

  Budgets node(String url) {
    return node(() -> open(url));
  }

  Budgets node(ConnectionSource source) {
    return node(source, clock, false);
  }

  Budgets node(ConnectionSource source, InstantSource time, boolean clamp) {
    Budgets node =
        new Budgets(
            new BudgetsConfiguration(ZoneOffset.UTC, 500, clamp, false, List.of()),
            source,
            time,
            nanos::get,
            new PrometheusRegistry());
    nodes.add(node);
    return node;
  }

  Connection open(String url) throws SQLException {
    Connection connection =
        DriverManager.getConnection(
            url + "&allowMultiQueries=true", database.user(), database.password());
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    connection.setAutoCommit(false);
    return connection;
  }

  void later(Duration time) {
    clock.advance(time);
    nanos.addAndGet(time.toNanos());
  }

  static OpenHold hold(Budgets node, Demand demand) {
    OpenHold ahead = node.holdAhead(demand);
    return ahead == null ? requireNonNull(node.hold(demand)) : ahead;
  }

  static Caller caller(BudgetTerms terms) {
    return new Caller(
        7, 8, "p", "p", "k", Map.of(), new OwnBudgets(Map.of("b", terms), Map.of()), KeyScopes.ALL);
  }

  static Demand demand(
      Caller caller, long tokens, boolean stream, boolean limited, Prices.@Nullable Price price) {
    return new Demand(
        caller,
        new Demand.Call("request", null, "chat", stream),
        null,
        List.of(new Demand.Offer("a/m", "a", "m", price)),
        0,
        0,
        0,
        tokens,
        limited,
        1,
        1,
        null);
  }

  void charge(OpenHold call, long tokens) {
    charge(new Charge(call.ended("a/m", true), tokens, 0));
  }

  /** As the request log does it. */
  List<Reached> charge(Charge charge) {
    charge.counted();
    List<Reached> reached;
    try {
      reached = settle(charge);
    } catch (Settlements.LostException e) {
      throw new IllegalStateException(e);
    }
    if (charge.of().last()) {
      charge.hold().settle();
    }
    return reached;
  }

  List<Reached> settle(Charge charge) throws Settlements.LostException {
    try (Connection connection = open(database.url())) {
      List<Reached> reached = Settlements.settle(connection, Home.FIRST, List.of(charge));
      connection.commit();
      return reached;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  String state() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT CONCAT(settled, '/', held) FROM budget_windows")
                .mapTo(String.class)
                .one());
  }

  long number(String sql) {
    return jdbi.withHandle(handle -> handle.createQuery(sql).mapTo(Long.class).one());
  }
}
