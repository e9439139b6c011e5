package io.memorygateway.budget.hold;

import static org.awaitility.Awaitility.await;

import io.memorygateway.auth.Caller;
import io.memorygateway.auth.KeyScopes;
import io.memorygateway.budget.BudgetSpan;
import io.memorygateway.budget.BudgetTerms;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.budget.OwnBudgets;
import io.memorygateway.database.Home;
import io.memorygateway.database.HomeLanes;
import io.memorygateway.testing.TestDatabase;
import java.math.BigDecimal;
import java.sql.Connection;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Holds of calls that live do not run out, whatever becomes of those of other homes. */
class BudgetRenewalIT extends BudgetRig {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  BudgetRenewalIT() {
    super(DATABASE);
  }

  /** A row that another transaction holds stands for a home that hangs. */
  @Test
  void aHomeThatHangsKeepsNoHoldOfAnotherFromBeingRenewed() throws Exception {
    Budgets node = node(DATABASE.url());
    long lives = hold(node, demand(caller(Home.FIRST), 100)).hold().callId();
    long hangs = hold(node, demand(caller(new Home(1)), 100)).hold().callId();
    Jdbi patient =
        Jdbi.create(
            DATABASE.url() + "&sessionVariables=innodb_lock_wait_timeout=100000",
            DATABASE.user(),
            DATABASE.password());
    HomeLanes lanes = new HomeLanes("renewal", "Holds could not be renewed");
    BudgetRenewal renewal = new BudgetRenewal(node, patient, lanes, null);
    try (Connection other = open(DATABASE.url())) {
      other
          .createStatement()
          .execute("SELECT 1 FROM budget_calls WHERE id = " + hangs + " FOR UPDATE");
      for (int i = 0; i < 3; i++) {
        jdbi.useHandle(
            handle -> handle.execute("UPDATE budget_calls SET expires_ms = 1 WHERE id = ?", lives));
        await()
            .until(
                () -> {
                  var unused = renewal.renewAll();
                  return expires(lives) > 1;
                });
      }
    }
  }

  private long expires(long call) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT expires_ms FROM budget_calls WHERE id = :id")
                .bind("id", call)
                .mapTo(Long.class)
                .one());
  }

  private static Demand demand(Caller caller, long tokens) {
    return demand(caller, tokens, false, true, null);
  }

  private static Caller caller(Home home) {
    BudgetTerms terms =
        new BudgetTerms(
            BudgetUnit.TOKENS,
            BigDecimal.valueOf(1000),
            BudgetSpan.parse("day"),
            null,
            null,
            null,
            null);
    return new Caller(
        home.first() + 7,
        home.first() + 8,
        "p",
        "p",
        "k",
        Map.of(),
        new OwnBudgets(Map.of("b", terms), Map.of()),
        KeyScopes.ALL);
  }
}
