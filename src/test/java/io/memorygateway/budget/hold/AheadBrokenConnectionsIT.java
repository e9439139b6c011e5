package io.memorygateway.budget.hold;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.auth.Caller;
import io.memorygateway.auth.KeyScopes;
import io.memorygateway.budget.BudgetSpan;
import io.memorygateway.budget.BudgetTerms;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.budget.Charge;
import io.memorygateway.budget.OwnBudgets;
import io.memorygateway.database.Home;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.price.ModelPrice;
import io.memorygateway.price.Prices;
import io.memorygateway.testing.DatabaseRelay;
import io.memorygateway.testing.TestDatabase;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §15, on a database: what nodes hold ahead stays exact while their connections break. */
class AheadBrokenConnectionsIT extends BudgetRig {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  /** Pico-dollars of a token. */
  private static final long PRICE = 2_000_000;

  /** Windows that are overrun, or of which calls do not hold what they say. */
  private static final String WRONG =
      "SELECT COUNT(*) FROM budget_windows w"
          + " WHERE (max_amount > 1 AND settled + held + reserved > max_amount) OR held <>"
          + " (SELECT COALESCE(SUM(amount), 0) FROM budget_holds h WHERE h.window_id = w.id)";

  AheadBrokenConnectionsIT() {
    super(DATABASE);
  }

  /** Calls of budgets of both units, whose nodes' connections break in the middle of everything. */
  @Tag("heavy")
  @Test
  void nothingIsOverrunOrLostOrHeldForGoodWhileConnectionsBreak() throws Exception {
    int threads = 12;
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try (DatabaseRelay relay = DatabaseRelay.to(DATABASE.port())) {
      List<Budgets> both = List.of(node(DATABASE.url(relay)), node(DATABASE.url(relay)));
      AtomicInteger ahead = new AtomicInteger();
      List<Future<Long>> used = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        Random random = new Random(t);
        used.add(executor.submit(() -> calls(both, random, relay, ahead)));
      }
      while (!used.stream().allMatch(Future::isDone)) {
        both.forEach(node -> node.passOn(Home.FIRST, false));
        assertThat(number(WRONG)).isZero();
      }
      long sum = 0;
      for (Future<Long> each : used) {
        sum += each.get();
      }
      assertThat(ahead).hasValueGreaterThan(100);
      later(Duration.ofSeconds(2));
      Awaitility.await()
          .untilAsserted(
              () -> {
                both.forEach(node -> node.passOn(Home.FIRST, false));
                assertThat(number("SELECT SUM(held) FROM budget_windows")).isZero();
              });
      assertThat(both).allSatisfy(node -> assertThat(node.open()).isEmpty());
      assertThat(number("SELECT SUM(settled) FROM budget_windows WHERE unit = 'tokens'"))
          .isEqualTo(2 * sum);
      assertThat(number("SELECT settled FROM budget_windows WHERE unit = 'usd'"))
          .isEqualTo(PRICE * sum);
      assertThat(number("SELECT COUNT(*) FROM budget_calls")).isZero();
      assertThat(number("SELECT COUNT(*) FROM budget_holds")).isZero();
    }
    executor.shutdown();
  }

  private long calls(List<Budgets> both, Random random, DatabaseRelay relay, AtomicInteger ahead)
      throws Exception {
    Demand demand = demand(several(), 20, true, true, price(2));
    long sum = 0;
    int calls = 0;
    while (calls < 60) {
      Budgets node = both.get(random.nextInt(2));
      try (OpenCall call = new OpenCall(hold(node, demand))) {
        calls++;
        nanos.addAndGet(Duration.ofMillis(5).toNanos());
        ahead.addAndGet(call.hold.hold().taken() == null ? 0 : 1);
        if (random.nextInt(40) == 0) {
          relay.dropAll();
        }
        boolean more = random.nextBoolean() && call.hold.more(10);
        long failed = random.nextInt(4) == 0 ? random.nextLong(10) : 0;
        if (failed > 0
            && call.hold.again(new OpenHold.Used("a/m", failed, PRICE * failed, List.of()))) {
          charge(new Charge(call.hold.ended("a/m", false), failed, PRICE * failed));
          sum += failed;
        }
        if (random.nextInt(5) > 0) {
          long tokens = random.nextLong(more ? 31 : 21);
          charge(new Charge(call.hold.ended("a/m", true), tokens, PRICE * tokens));
          sum += tokens;
        }
      } catch (ApiException e) {
        assertThat(e.error().status()).isEqualTo(503);
      }
    }
    return sum;
  }

  private record OpenCall(OpenHold hold) implements AutoCloseable {
    @Override
    public void close() {
      hold.close();
    }
  }

  private static Caller several() {
    Map<String, BudgetTerms> ofKey =
        Map.of("t", terms(BudgetUnit.TOKENS, 3_000_000, null), "d", terms(BudgetUnit.USD, 6, null));
    Map<String, BudgetTerms> ofProject = Map.of("s", terms(BudgetUnit.TOKENS, 1, "shadow"));
    return new Caller(
        7, 8, "p", "p", "k", Map.of(), new OwnBudgets(ofKey, ofProject), KeyScopes.ALL);
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
}
