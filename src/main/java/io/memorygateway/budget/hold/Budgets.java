package io.memorygateway.budget.hold;

import io.dropwizard.lifecycle.Managed;
import io.memorygateway.auth.Caller;
import io.memorygateway.budget.Budget;
import io.memorygateway.budget.BudgetOwner;
import io.memorygateway.budget.BudgetTerms;
import io.memorygateway.budget.BudgetsConfiguration;
import io.memorygateway.budget.Charge;
import io.memorygateway.budget.Hold;
import io.memorygateway.budget.OwnBudgets;
import io.memorygateway.budget.Settlements.Reached;
import io.memorygateway.concurrent.GroupCommit;
import io.memorygateway.database.ConnectionSource;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.database.Deadline;
import io.memorygateway.database.DedicatedConnection;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Holds of the budgets of calls. Thread-safe. */
public final class Budgets implements Managed {
  private static final Logger LOGGER = LoggerFactory.getLogger(Budgets.class);

  /** Calls that share a transaction. */
  private static final int MAX_BATCH = 256;

  private static final int MAX_ATTEMPTS = 8;
  private static final Duration TIMEOUT = Duration.ofSeconds(6);

  /** Longest wait of a call, before it is refused, for calls that have ended to be settled. */
  private static final long SETTLED_WITHIN_MILLIS = 2000;

  private final BudgetsConfiguration configuration;
  private final List<Budget> defaults;
  private final DedicatedConnection connection;
  private final GroupCommit<HoldItem> group = new GroupCommit<>(MAX_BATCH, this::decideAll);
  private final Map<Long, Hold> open = new ConcurrentHashMap<>();
  private final Queue<HoldItem> orphans = new ConcurrentLinkedQueue<>();
  private final InputFactors factors = new InputFactors();
  private final BudgetMetrics metrics;
  private final InstantSource clock;

  /** What the database's clock is ahead of this node's, in milliseconds. */
  private volatile long ahead;

  /**
   * Creates the budgets of a node.
   *
   * @param source of a dedicated connection
   */
  public Budgets(
      BudgetsConfiguration configuration,
      ConnectionSource source,
      InstantSource clock,
      PrometheusRegistry registry) {
    this.configuration = configuration;
    this.defaults =
        configuration.rules().stream()
            .map(rule -> rule.terms().named(rule.name(), rule.appliesTo(), Instant.EPOCH))
            .toList();
    this.connection = new DedicatedConnection(source);
    this.clock = clock;
    this.metrics = new BudgetMetrics(registry, open::size);
  }

  public BudgetsConfiguration configuration() {
    return configuration;
  }

  /** The budgets of a key and its project that are in force. */
  public List<Budget> of(OwnBudgets own) {
    if (own.isEmpty()) {
      return defaults;
    }
    Instant now = clock.instant();
    List<Budget> all = new ArrayList<>();
    for (BudgetOwner owner : BudgetOwner.values()) {
      Map<String, BudgetTerms> terms = new TreeMap<>(own.of(owner));
      for (BudgetsConfiguration.Rule rule : configuration.rules()) {
        if (rule.appliesTo() == owner) {
          BudgetTerms said = terms.get(rule.name());
          terms.put(rule.name(), said == null ? rule.terms() : said.over(rule.terms()));
        }
      }
      terms.forEach(
          (name, said) -> {
            try {
              all.add(said.named(name, owner, now));
            } catch (IllegalArgumentException e) {
              LOGGER.debug("The budget {} lacks what a default said that is gone", name, e);
            }
          });
    }
    return all;
  }

  /** Whether any call of a caller may be covered. */
  public boolean mayCover(Caller caller) {
    return !defaults.isEmpty() || !caller.budgets().isEmpty();
  }

  /** The tokens of an input as the target may count them that counts the most. */
  public long mostInput(List<Demand.Offer> offers, long counted) {
    return offers.stream()
        .mapToLong(offer -> factors.most(offer.target(), counted))
        .max()
        .orElse(counted);
  }

  /** Takes how many tokens a provider did count of an input. */
  void told(String target, long counted, long told) {
    factors.told(target, counted, told);
  }

  /**
   * Holds what a call may need.
   *
   * @return null if no budget covers it
   * @throws ApiException 402 or 429 if a budget leaves too little; 503
   */
  public @Nullable OpenHold hold(Demand demand) {
    List<HoldItem.Need> needs = new ArrayList<>();
    HoldItem.@Nullable Need unpriced = null;
    for (Budget budget : of(demand.caller().budgets())) {
      List<Demand.Offer> offers = demand.of(budget);
      if (!offers.isEmpty()) {
        HoldItem.Need need = new HoldItem.Need(budget, HoldItem.ownerId(demand, budget), offers);
        needs.add(need);
        unpriced = unpriced == null && need.refusesUnpriced() ? need : unpriced;
      }
    }
    if (needs.isEmpty()) {
      return null;
    }
    HoldItem first = HoldItem.first(randomId(), demand, needs);
    first.unpriced = unpriced;
    HoldItem item = perform(first);
    if (unpriced == null && item.refusedBy != null && awaitSettlements(item)) {
      item = perform(HoldItem.first(randomId(), demand, needs));
    }
    Hold held = item.held;
    if (held == null) {
      throw refused(item, item.refusedBy);
    }
    for (HoldItem.Standing standing : item.standings) {
      Budget budget = standing.need().budget();
      long total =
          standing.settled()
              + standing.others()
              + demand.most(
                  budget.unit(), standing.need().offers(), demand.input(), item.heldOutput);
      boolean over =
          budget.shadow() && (total > budget.limit() || standing.need().unpriced() != null);
      metrics.decided(budget, over ? "would_refuse" : "held");
    }
    open.put(held.callId(), held);
    var unused = held.settled().whenComplete((done, failure) -> open.remove(held.callId()));
    return new OpenHold(this, item, held);
  }

  /**
   * Refuses a call that cannot be counted, unless the budgets that cover it allow that.
   *
   * @param target as {@code provider/model}
   * @param calls what calls they are, for the message
   * @throws ApiException 402
   */
  public void checkUncounted(Caller caller, String target, String calls) {
    for (Budget budget : of(caller.budgets())) {
      if (!budget.allowsUnpriced() && Demand.matches(budget, target)) {
        metrics.decided(budget, budget.shadow() ? "would_refuse" : "refused");
        if (!budget.shadow()) {
          throw new ApiException(BudgetRefusal.uncounted(budget, calls));
        }
      }
    }
  }

  private static long randomId() {
    return ThreadLocalRandom.current().nextLong();
  }

  private ApiException refused(HoldItem item, HoldItem.@Nullable Standing by) {
    if (by == null) {
      throw new IllegalStateException("a call was neither held nor refused");
    }
    Budget budget = by.need().budget();
    metrics.decided(budget, "refused");
    Demand demand = item.demand;
    long needed = demand.most(budget.unit(), by.need().offers(), demand.input(), demand.output());
    Demand.Offer unpriced = item.unpriced == null ? null : item.unpriced.unpriced();
    ApiError[] error = {
      unpriced == null
          ? BudgetRefusal.of(by, needed, clock.millis() + ahead)
          : BudgetRefusal.unpriced(budget, unpriced.target())
    };
    BudgetHeaders.show(
        item.standings,
        standing -> 0,
        (name, value) -> error[0] = error[0].withHeader(name, value));
    return new ApiException(error[0]);
  }

  /**
   * Waits for calls of this node that have ended and hold what a call was refused for; returns
   * whether there were any.
   */
  private boolean awaitSettlements(HoldItem item) {
    List<Long> windows = item.needs.stream().map(need -> need.id(window(item, need))).toList();
    CompletableFuture<?>[] ended =
        open.values().stream()
            .filter(Hold::isEnded)
            .filter(hold -> hold.parts().stream().anyMatch(p -> windows.contains(p.windowId())))
            .map(Hold::settled)
            .toArray(CompletableFuture<?>[]::new);
    if (ended.length == 0) {
      return false;
    }
    try {
      Object unused =
          CompletableFuture.allOf(ended).get(SETTLED_WITHIN_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOGGER.debug("Calls that have ended are not settled yet", e);
    }
    return true;
  }

  private static io.memorygateway.budget.BudgetSpan.Window window(
      HoldItem item, HoldItem.Need need) {
    return item.standings.get(item.needs.indexOf(need)).window();
  }

  boolean more(Hold hold, Demand demand, long held, long tokens) {
    return perform(HoldItem.more(hold, demand, held, tokens)).held != null;
  }

  boolean again(Charge used, Demand demand) {
    return perform(HoldItem.again(used, demand)).held != null;
  }

  void release(Hold hold, Demand demand) {
    HoldItem item = HoldItem.release(hold, demand);
    try {
      HoldItem unused = perform(item);
    } catch (ApiException e) {
      orphans.add(item);
    } finally {
      hold.settled().complete(null);
    }
  }

  private HoldItem perform(HoldItem item) {
    group.perform(item);
    if (!item.done) {
      throw new ApiException(
          ApiError.unavailable("The budgets cannot be asked at the moment; try again.", 1));
    }
    return item;
  }

  /** Decides for calls that came together; those that are left undone are refused. */
  private void decideAll(List<HoldItem> items) {
    Deadline deadline = Deadline.in(TIMEOUT);
    boolean unknown = false;
    for (int attempt = 1; attempt <= MAX_ATTEMPTS && deadline.millisLeft() > 0; attempt++) {
      Connection own = connection.connection(deadline);
      if (own == null) {
        break;
      }
      HoldBatch batch = new HoldBatch(own, items, configuration.timeZone(), configuration.clamp());
      try {
        if (unknown && HoldBatch.isCommitted(own, items)) {
          own.rollback();
          items.forEach(item -> item.done = true);
          return;
        }
        unknown = false;
        items.forEach(HoldItem::reset);
        boolean decided = batch.decide(clock.millis() + ahead);
        if (batch.now() > 0) {
          ahead = batch.now() - clock.millis();
        }
        if (!decided) {
          own.rollback();
          continue;
        }
        items.forEach(item -> item.done = true);
        return;
      } catch (SQLException e) {
        DatabaseFailure failure = DatabaseFailure.of(e);
        connection.rollBack();
        LOGGER.debug("Budgets could not be held", e);
        unknown |= batch.isEnding() && failure == DatabaseFailure.CONNECTION_LOST;
        if (!failure.isOutage()) {
          LOGGER.error("Budgets could not be held", e);
          break;
        }
      } catch (RuntimeException e) {
        connection.rollBack();
        throw e;
      }
    }
    if (unknown) {
      items.stream()
          .filter(item -> item.held != null && item.before == null)
          .forEach(item -> orphans.add(HoldItem.release(item.held, item.demand)));
    }
  }

  /** Gives back what calls hold whose outcome could not be told. */
  void releaseOrphans() {
    for (HoldItem item = orphans.poll(); item != null; item = orphans.poll()) {
      group.perform(item);
      if (!item.done) {
        orphans.add(item);
        return;
      }
    }
  }

  /** Calls that are in flight, or about to be settled. */
  Collection<Hold> open() {
    return open.values();
  }

  /** Records what calls came to, once their transaction is committed. */
  public void reached(List<Reached> all) {
    metrics.reached(all);
  }

  @Override
  public void stop() {
    connection.close();
  }
}
