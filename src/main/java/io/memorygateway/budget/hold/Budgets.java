package io.memorygateway.budget.hold;

import static java.util.Objects.requireNonNull;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.dropwizard.lifecycle.Managed;
import io.memorygateway.auth.Caller;
import io.memorygateway.budget.Ahead;
import io.memorygateway.budget.Budget;
import io.memorygateway.budget.BudgetOwner;
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
import io.memorygateway.database.Home;
import io.memorygateway.database.Homes;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Holds of the budgets of calls. Thread-safe. */
public final class Budgets implements Managed {
  private static final Logger LOGGER = LoggerFactory.getLogger(Budgets.class);

  /** Calls that share a transaction. */
  private static final int MAX_BATCH = 256;

  private static final int MAX_LOGGED = 1000;
  private static final int MAX_ATTEMPTS = 8;
  private static final Duration TIMEOUT = Duration.ofSeconds(6);

  private final BudgetsConfiguration configuration;
  private final List<Budget> defaults;

  /** The budgets of keys that are in force until an operator changes them. */
  private final Cache<OwnBudgets, List<Budget>> lasting = Caffeine.newBuilder().weakKeys().build();

  /** The budgets of which it was logged that what is said of them does not fit. */
  private final Cache<String, Boolean> unfit =
      Caffeine.newBuilder().maximumSize(MAX_LOGGED).build();

  private final ConnectionSource source;
  private final Queue<DedicatedConnection> connections = new ConcurrentLinkedQueue<>();
  private final Map<Home, HomeHolds> homes = new ConcurrentHashMap<>();
  private final OpenCalls open = new OpenCalls();
  private final Aheads aheads;
  private final InputFactors factors = new InputFactors();
  private final BudgetMetrics metrics;
  private final InstantSource clock;

  /** What the database's clock is ahead of this node's, in milliseconds. */
  private volatile long ahead;

  /**
   * Creates the budgets of a node.
   *
   * @param source of dedicated connections, one for each home
   * @param nanoTime as {@link System#nanoTime()}
   */
  public Budgets(
      BudgetsConfiguration configuration,
      ConnectionSource source,
      InstantSource clock,
      LongSupplier nanoTime,
      PrometheusRegistry registry) {
    this.configuration = configuration;
    this.defaults =
        configuration.rules().stream()
            .map(rule -> rule.terms().named(rule.name(), rule.appliesTo(), Instant.EPOCH))
            .toList();
    this.source = source;
    this.clock = clock;
    this.aheads = new Aheads(clock, nanoTime);
    this.metrics = new BudgetMetrics(registry, open::size, defaults);
  }

  public BudgetsConfiguration configuration() {
    return configuration;
  }

  /** The budgets of a key and its project that are in force. */
  public List<Budget> of(OwnBudgets own) {
    List<Budget> known = own.isEmpty() ? defaults : lasting.getIfPresent(own);
    if (known != null) {
      return known;
    }
    List<Budget> all = inForce(own);
    if (!own.isForATime()) {
      lasting.put(own, all);
    }
    return all;
  }

  private List<Budget> inForce(OwnBudgets own) {
    Instant now = clock.instant().plusMillis(ahead);
    List<Budget> all = new ArrayList<>();
    for (BudgetOwner owner : BudgetOwner.values()) {
      configuration
          .terms(owner, own)
          .forEach(
              (name, said) -> {
                try {
                  all.add(said.named(name, owner, now));
                } catch (IllegalArgumentException e) {
                  defaults.stream()
                      .filter(rule -> rule.owner() == owner && rule.name().equals(name))
                      .forEach(all::add);
                  if (unfit.asMap().put(owner.wireName() + " " + name, true) == null) {
                    LOGGER.warn(
                        "What is said of the budget {} of a {} does not fit the configuration; its rule"
                            + " holds as it is, if it has one",
                        name,
                        owner.wireName(),
                        e);
                  }
                }
              });
    }
    return List.copyOf(all);
  }

  /** Whether any call of a caller may be covered. */
  public boolean mayCover(Caller caller) {
    return !defaults.isEmpty() || !caller.budgets().isEmpty();
  }

  /** The tokens of an input as the target may count them that counts the most. */
  public long mostInput(Caller caller, List<Demand.Offer> offers, long counted) {
    return offers.stream()
        .mapToLong(
            offer -> factors.most(offer.target(), caller.keyId(), caller.projectId(), counted))
        .max()
        .orElse(counted);
  }

  /** Takes how many tokens a provider did count of an input. */
  void told(String target, Caller caller, long counted, long told) {
    factors.told(target, caller.keyId(), caller.projectId(), counted, told);
  }

  /** What is held for calls that come fast. */
  public Aheads aheads() {
    return aheads;
  }

  /**
   * Holds what a call may need, if no wait for the database is needed for it: of what is held ahead
   * for calls that come fast.
   *
   * @return null if {@link #hold} is to be asked
   */
  public @Nullable OpenHold holdAhead(Demand demand) {
    List<HoldItem.Need> needs = needs(demand);
    Aheads.Taken taken = needs.isEmpty() ? null : aheads.take(demand, needs);
    return taken == null ? null : opened(new OpenHold(this, demand, taken));
  }

  /**
   * Holds what a call may need.
   *
   * @return null if no budget covers it
   * @throws ApiException 402 or 429 if a budget leaves too little; 503
   */
  public @Nullable OpenHold hold(Demand demand) {
    List<HoldItem.Need> needs = needs(demand);
    if (needs.isEmpty()) {
      return null;
    }
    Aheads.Taken taken = aheads.open(demand, needs, this::perform);
    if (taken != null) {
      return opened(new OpenHold(this, demand, taken));
    }
    HoldItem first = HoldItem.first(demand.newCallId(), demand, needs);
    first.unpriced = needs.stream().filter(HoldItem.Need::refusesUnpriced).findFirst().orElse(null);
    HoldItem item = perform(first);
    if (first.unpriced == null && item.refusedBy != null && open.awaitSettlements(item)) {
      item = perform(HoldItem.first(demand.newCallId(), demand, needs));
    }
    if (item.held == null) {
      throw refused(item, item.refusedBy);
    }
    return opened(new OpenHold(this, item, item.held));
  }

  private List<HoldItem.Need> needs(Demand demand) {
    List<HoldItem.Need> needs = new ArrayList<>();
    for (Budget budget : of(demand.caller().budgets())) {
      List<Demand.Offer> offers = demand.of(budget);
      if (!offers.isEmpty()) {
        needs.add(new HoldItem.Need(budget, HoldItem.ownerId(demand, budget), offers));
      }
    }
    return needs;
  }

  private OpenHold opened(OpenHold call) {
    for (HoldItem.Standing standing : call.standings()) {
      Budget budget = standing.need().budget();
      boolean isOver = budget.shadow() && standing.isOver(call.demand(), call.output());
      metrics.decided(budget, isOver ? "would_refuse" : "held");
    }
    open.add(call);
    return call;
  }

  void decided(Budget budget, String outcome) {
    metrics.decided(budget, outcome);
  }

  private ApiException refused(HoldItem item, HoldItem.@Nullable Standing by) {
    if (by == null) {
      throw new IllegalStateException("a call was neither held nor refused");
    }
    Budget budget = by.need().budget();
    metrics.decided(budget, "refused");
    Demand demand = item.demand;
    long needed = demand.most(budget.unit(), by.need().offers(), demand.output());
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

  boolean more(OpenHold call, long tokens) {
    Hold hold = call.hold();
    toOwn(call.demand(), hold);
    return perform(HoldItem.more(hold, call.demand(), call.output(), tokens)).held != null;
  }

  boolean again(Charge used, Demand demand) {
    toOwn(demand, used.hold());
    return perform(HoldItem.again(used, demand)).held != null;
  }

  private void toOwn(Demand demand, Hold hold) {
    Ahead ahead = hold.ahead();
    if (ahead != null && hold.taken() != null) {
      move(ahead, List.of(new HoldItem.Call(demand, hold)));
    }
  }

  /** Gives calls holds of their own, but for those that have ended. */
  private void move(Ahead ahead, List<HoldItem.Call> calls) {
    calls.forEach(call -> call.hold().move());
    HoldItem item = perform(HoldItem.move(ahead.hold(), calls));
    item.own.forEach(ahead::left);
  }

  /** The homes that calls were held in. */
  Set<Home> homes() {
    return homes.keySet();
  }

  /**
   * Gives calls of a home that last holds of their own, so that what is held ahead can be given
   * back once all others are settled; and gives back that, what nobody needs, and what calls hold
   * whose outcome could not be told.
   *
   * @param evenNew whether no further calls come
   */
  void passOn(Home home, boolean evenNew) {
    Set<Ahead> old = aheads.close(home, evenNew);
    Map<Ahead, List<HoldItem.Call>> lasting =
        open.all().stream()
            .filter(call -> !call.hold().isEnded() && old.contains(call.hold().ahead()))
            .filter(call -> call.hold().taken() != null)
            .limit(MAX_BATCH)
            .map(call -> new HoldItem.Call(call.demand(), call.hold()))
            .collect(Collectors.groupingBy(call -> requireNonNull(call.hold().ahead())));
    try {
      Homes.each(lasting.entrySet(), calls -> move(calls.getKey(), calls.getValue()));
    } catch (ApiException e) {
      LOGGER.debug("Calls cannot get holds of their own; the next run will try again", e);
    }
    Queue<HoldItem> orphans = of(home).orphans;
    orphans.addAll(aheads.over(home));
    for (int left = orphans.size(); left > 0; left--) {
      HoldItem item = orphans.poll();
      if (item == null) {
        return;
      }
      decide(item);
      if (!item.done) {
        orphans.add(item);
        return;
      }
    }
  }

  void release(OpenHold call) {
    Hold hold = call.hold();
    hold.end();
    hold.used(0, 0);
    if (hold.isMoving()) {
      giveBack(HoldItem.release(hold, call.demand()));
    }
    hold.settle();
  }

  private void giveBack(HoldItem item) {
    try {
      HoldItem unused = perform(item);
    } catch (ApiException e) {
      of(item).orphans.add(item);
    }
  }

  private HoldItem perform(HoldItem item) {
    decide(item);
    if (!item.done) {
      throw ApiException.unavailable("The budgets cannot be asked at the moment; try again.", 1);
    }
    return item;
  }

  private void decide(HoldItem item) {
    of(item).group.perform(item);
  }

  /**
   * What decides for the calls of a home.
   *
   * @param orphans what is to be given back later
   */
  private record HomeHolds(GroupCommit<HoldItem> group, Queue<HoldItem> orphans) {}

  private HomeHolds of(HoldItem item) {
    return of(Home.of(item.demand.caller().projectId()));
  }

  private HomeHolds of(Home home) {
    return homes.computeIfAbsent(
        home,
        unused -> {
          DedicatedConnection own = new DedicatedConnection(source);
          connections.add(own);
          return new HomeHolds(
              new GroupCommit<>(MAX_BATCH, items -> decideTogether(own, items)),
              new ConcurrentLinkedQueue<>());
        });
  }

  /** Decides for calls of a home that came together; those that are left undone are refused. */
  private void decideTogether(DedicatedConnection connection, List<HoldItem> items) {
    Deadline deadline = Deadline.in(TIMEOUT);
    HoldBatch unknown = null;
    for (int attempt = 1; attempt <= MAX_ATTEMPTS && deadline.millisLeft() > 0; attempt++) {
      Connection own = connection.connection(deadline);
      if (own == null) {
        break;
      }
      HoldBatch batch = new HoldBatch(own, items, configuration.timeZone(), configuration.clamp());
      try {
        if (unknown != null && unknown.isCommitted(own)) {
          items.forEach(item -> item.done = true);
          return;
        }
        unknown = null;
        items.forEach(HoldItem::reset);
        boolean decided = batch.decide(clock.millis() + ahead, () -> items.forEach(open::mark));
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
        if (batch.isEnding() && failure == DatabaseFailure.CONNECTION_LOST) {
          unknown = batch;
        }
        if (!failure.isOutage()) {
          LOGGER.error("Budgets could not be held", e);
          break;
        }
      } catch (RuntimeException e) {
        connection.rollBack();
        throw e;
      }
    }
    if (unknown != null) {
      items.stream()
          .filter(item -> item.held != null && item.before == null)
          .forEach(item -> of(item).orphans.add(HoldItem.release(item.held, item.demand)));
    }
  }

  /** What the database has of this node: of calls that are not settled yet, and of some to come. */
  List<Hold> open() {
    Stream<Hold> own = open.all().stream().map(OpenHold::hold).filter(Hold::isMoving);
    return Stream.concat(own, aheads.holds().stream()).toList();
  }

  /** Records what calls came to, once their transaction is committed. */
  public void reached(List<Reached> all) {
    metrics.reached(all);
  }

  @Override
  public void stop() {
    homes().forEach(home -> passOn(home, true));
    connections.forEach(DedicatedConnection::close);
  }
}
