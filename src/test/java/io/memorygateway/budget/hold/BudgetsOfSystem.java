package io.memorygateway.budget.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.auth.Caller;
import io.memorygateway.auth.KeyScopes;
import io.memorygateway.budget.BudgetSpan;
import io.memorygateway.budget.BudgetTerms;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.budget.Charge;
import io.memorygateway.budget.OwnBudgets;
import io.memorygateway.budget.Settlements.Reached;
import io.memorygateway.price.Prices;
import io.memorygateway.ratelimit.Limits;
import io.memorygateway.testing.DatabaseRelay;
import io.memorygateway.testing.TestDatabase;
import java.math.BigDecimal;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** Nodes that hold budgets on a database by the system's clock, or another one that a test has. */
abstract class BudgetsOfSystem extends BudgetRig {
  private static final AtomicInteger OWNERS = new AtomicInteger(100);

  final long owner = OWNERS.getAndIncrement();
  private final TestDatabase database;

  BudgetsOfSystem(TestDatabase database) {
    super(database);
    this.database = database;
  }

  @BeforeEach
  void awaitRoomInTheDay() {
    Limits.awaitRoomInTheDay();
  }

  final Demand tokens(Caller caller, long input, long output) {
    return priced(caller, input, output, true, null);
  }

  static Demand priced(
      Caller caller, long input, long output, boolean limited, Prices.@Nullable Price price) {
    return new Demand(
        caller,
        new Demand.Call("request", null, "chat", false),
        null,
        List.of(new Demand.Offer("a/m", "a", "m", price)),
        input,
        input,
        input,
        output,
        limited,
        1,
        1,
        null);
  }

  static OpenHold requireHeld(Budgets node, Demand demand) {
    OpenHold held = node.hold(demand);
    assertThat(held).isNotNull();
    return held;
  }

  final List<Reached> settle(OpenHold held, long tokens) {
    return charge(held, "a/m", true, tokens);
  }

  final List<Reached> charge(OpenHold held, String target, boolean last, long tokens) {
    return charge(new Charge(held.ended(target, last), tokens, 0));
  }

  final Caller caller(Map<String, BudgetTerms> ofKey, Map<String, BudgetTerms> ofProject) {
    return caller(owner, owner, ofKey, ofProject);
  }

  static Caller caller(
      long key, long project, Map<String, BudgetTerms> ofKey, Map<String, BudgetTerms> ofProject) {
    return new Caller(
        key, project, "p", "p", "k", Map.of(), new OwnBudgets(ofKey, ofProject), KeyScopes.ALL);
  }

  static Map<String, BudgetTerms> key(String name, long limit) {
    return Map.of(name, tokens(limit, "day"));
  }

  static BudgetTerms tokens(long limit, String window) {
    return new BudgetTerms(
        BudgetUnit.TOKENS,
        BigDecimal.valueOf(limit),
        BudgetSpan.parse(window),
        null,
        null,
        null,
        null);
  }

  final Budgets node(InstantSource time, boolean clamp) {
    return node(() -> open(database.url()), time, clamp);
  }

  final Budgets node(DatabaseRelay relay) {
    return node(() -> open(database.url(relay)), InstantSource.system(), false);
  }

  /** The budgets with what is settled, held and reserved. */
  final List<String> windows() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    "SELECT CONCAT(name, ' ', settled, '/', held,"
                        + " IF(reserved = 0, '', CONCAT('+', reserved))) FROM budget_windows")
                .mapTo(String.class)
                .list());
  }

  final long rows(String table) {
    return number("SELECT COUNT(*) FROM " + table);
  }
}
