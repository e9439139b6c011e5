package io.memorygateway.budget.hold;

import io.dropwizard.auth.Auth;
import io.memorygateway.auth.Caller;
import io.memorygateway.budget.Budget;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.api.ApiPath;
import io.memorygateway.json.Timestamps;
import io.memorygateway.ratelimit.window.RateLimitRule;
import io.memorygateway.ratelimit.window.StoredCounters;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Endpoint that shows a key its limits and how much of them is used (contract §15). */
@Path(ApiPath.ROOT + ApiPath.LIMITS_PATH)
@Produces(MediaType.APPLICATION_JSON)
public final class LimitsResource {
  private final RunningBudgets running;
  private final List<RateLimitRule> rules;
  private final LongFunction<long[]> countedAhead;
  private final Transactions transactions;

  /**
   * Creates the endpoint.
   *
   * @param rules of rate limits
   * @param countedAhead requests of a key that are counted and have not come, by rule
   */
  public LimitsResource(
      RunningBudgets running,
      List<RateLimitRule> rules,
      LongFunction<long[]> countedAhead,
      Transactions transactions) {
    this.running = running;
    this.rules = List.copyOf(rules);
    this.countedAhead = countedAhead;
    this.transactions = transactions;
  }

  public record Limits(List<Limit> limits) {}

  /**
   * A rule of the rate limits or a budget, in its running window.
   *
   * @param kind {@code rate} or {@code budget}
   * @param unit requests, tokens or usd; amounts of the last are texts of decimal dollars
   * @param appliesTo the requests that a rule counts, or the owner of a budget
   * @param reset ISO-8601; null: never
   */
  public record Limit(
      String name,
      String kind,
      String unit,
      String window,
      String appliesTo,
      String mode,
      Object limit,
      Object used,
      Object held,
      Object remaining,
      @Nullable String reset) {}

  /** Shows the limits of the caller's key. */
  @GET
  public Limits limits(@Auth Caller caller) {
    return transactions.readInOwnAccount(caller.projectId(), handle -> read(handle, caller));
  }

  private Limits read(Handle handle, Caller caller) {
    List<Limit> all = new ArrayList<>();
    long[] ahead = countedAhead.apply(caller.keyId());
    for (StoredCounters.Counter counter : StoredCounters.read(handle, caller.keyId(), rules)) {
      long used = Math.max(0, counter.used() - ahead[rules.indexOf(counter.rule())]);
      RateLimitRule rule = counter.rule();
      long limit = caller.limits().getOrDefault(rule.name(), rule.limit());
      all.add(
          new Limit(
              rule.name(),
              "rate",
              "requests",
              rule.window().toSeconds() + "s",
              rule.appliesTo().name().toLowerCase(Locale.ROOT),
              "enforce",
              limit,
              used,
              0L,
              Math.max(0, limit - used),
              Timestamps.format(counter.resetsAt())));
    }
    running.of(handle, caller.budgets(), caller.keyId(), caller.projectId()).stream()
        .map(LimitsResource::limit)
        .forEach(all::add);
    return new Limits(all);
  }

  private static Limit limit(RunningBudgets.Running running) {
    Budget budget = running.budget();
    BudgetUnit unit = budget.unit();
    return new Limit(
        budget.name(),
        "budget",
        unit.wireName(),
        budget.span().toString(),
        budget.owner().wireName(),
        budget.shadow() ? "shadow" : "enforce",
        unit.shown(budget.limit()),
        unit.shown(running.used()),
        unit.shown(running.held()),
        unit.shown(running.left()),
        running.reset());
  }
}
