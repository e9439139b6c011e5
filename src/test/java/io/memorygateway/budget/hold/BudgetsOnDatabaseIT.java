package io.memorygateway.budget.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.auth.Caller;
import io.memorygateway.budget.BudgetSpan;
import io.memorygateway.budget.BudgetTerms;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.budget.OwnBudgets;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.price.ModelPrice;
import io.memorygateway.price.Prices;
import io.memorygateway.testing.TestDatabase;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §15, on a database: held is all or nothing, and never more than a limit leaves. */
class BudgetsOnDatabaseIT extends BudgetsOfSystem {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  BudgetsOnDatabaseIT() {
    super(DATABASE);
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
  @CsvSource({"-40", "40", "0"})
  void anIncreaseEndsByTheTimeOfTheDatabase(int days) {
    Budgets node = node(() -> Instant.now().plus(Duration.ofDays(days)), false);
    OpenHold unused = requireHeld(node, tokens(caller(key("k", 1000), Map.of()), 10, 90));

    for (int hours : new int[] {-1, 1}) {
      Instant until = Instant.now().plus(Duration.ofHours(hours));
      BudgetTerms more =
          tokens(1000, "total")
              .increased(new BudgetTerms.Increase(BigDecimal.TEN, until.toString()), Instant.EPOCH);
      assertThat(node.of(new OwnBudgets(Map.of("more", more), Map.of())).get(0).limit())
          .isEqualTo(hours < 0 ? 1000 : 1010);
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
    assertThatThrownBy(() -> node.hold(tokens(caller, 10, 90_000)))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> {
              assertThat(e.error().message())
                  .contains("held 1020 by calls in flight, which have 132674 more reserved");
              assertThat(e.error().headers()).containsEntry("X-Budget-Remaining", "6306");
            });
    assertThat(shownAsLeft(node, caller)).as("what a further call may hold").isEqualTo(6306);
    requireHeld(node, tokens(caller, 6, 6300)).close();

    settle(free, 131_082);
    settle(limited, 510);
    assertThat(windows()).containsExactly("k 131592/0");
  }

  private long shownAsLeft(Budgets node, Caller caller) {
    RunningBudgets shown = new RunningBudgets(node, Transactions.ofOperators(jdbi));
    return jdbi.withHandle(
            handle -> shown.of(handle, caller.budgets(), caller.keyId(), caller.projectId()))
        .get(0)
        .left();
  }

  private static Prices.Price price(String json) {
    try {
      return new Prices.Price(
          new Prices.Model("a", "m"), new ObjectMapper().readValue(json, ModelPrice.class), null);
    } catch (java.io.IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
