package io.memorygateway.auth;

import static com.google.common.base.Preconditions.checkArgument;

import io.memorygateway.audit.Act;
import io.memorygateway.budget.Budget;
import io.memorygateway.budget.BudgetOwner;
import io.memorygateway.budget.BudgetTerms;
import io.memorygateway.budget.BudgetsConfiguration;
import io.memorygateway.budget.OwnBudgets;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.errors.ApiException;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Sets what is different in the budgets of a key or of a project (contract §15). */
final class KeyBudgets {
  private static final int MAX_BUDGETS = 32;

  private final ApiKeys keys;
  private final Transactions transactions;
  private final ZoneId zone;
  private final Map<String, BudgetsConfiguration.Rule> rules = new TreeMap<>();
  private final Clock clock;
  private final LongConsumer evictProject;

  /**
   * @param evictProject called with a project of which all keys have changed
   */
  KeyBudgets(
      ApiKeys keys,
      Transactions transactions,
      BudgetsConfiguration configuration,
      Clock clock,
      LongConsumer evictProject) {
    this.keys = keys;
    this.transactions = transactions;
    this.zone = configuration.timeZone();
    configuration.rules().forEach(rule -> rules.put(rule.name(), rule));
    this.clock = clock;
    this.evictProject = evictProject;
  }

  /**
   * The own budgets of a key or a project after a change.
   *
   * @param id of the key, or name of the project
   */
  record Shown(String id, Map<String, BudgetTerms> budgets) {}

  /** Sets a budget of a key, or takes it away. */
  Shown ofKey(String publicId, String name, BudgetTerms terms, Act act) {
    return key(publicId, act, own -> set(BudgetOwner.KEY, name, terms, own));
  }

  /**
   * Sets a budget, or takes it away where nothing is said of it. One of its own that stood there
   * before the configuration had a rule of this name for others can be changed as before.
   *
   * @return what then holds; null if nothing does
   */
  private @Nullable Budget set(
      BudgetOwner owner, String name, BudgetTerms terms, Map<String, BudgetTerms> own) {
    BudgetTerms before = own.remove(name);
    BudgetsConfiguration.Rule rule = rule(owner, name, before);
    if (terms.equals(BudgetTerms.NONE)) {
      if (before == null && rule == null) {
        throw noBudget();
      }
      return rule == null ? null : checked(owner, name, own, rule);
    }
    if (rule == null && terms.limit() == null) {
      throw new IllegalArgumentException("limit must be given; a name alone takes a budget away");
    }
    own.put(name, before == null ? terms : kept(terms, before, rule));
    return checked(owner, name, own, rule);
  }

  /**
   * The rule that a budget is under; null if there is none.
   *
   * @param before what was said of the budget; null if nothing was
   */
  private BudgetsConfiguration.@Nullable Rule rule(
      BudgetOwner owner, String name, @Nullable BudgetTerms before) {
    BudgetsConfiguration.Rule rule = rules.get(name);
    if (rule == null || rule.appliesTo() == owner) {
      return rule;
    }
    if (before == null) {
      throw new IllegalArgumentException(
          "the configured budget of this name is of each " + rule.appliesTo().wireName());
    }
    return null;
  }

  /** Keeps increases when a limit changes, but not when its unit does. */
  private static BudgetTerms kept(
      BudgetTerms terms, BudgetTerms before, BudgetsConfiguration.@Nullable Rule rule) {
    BudgetTerms configured = rule == null ? BudgetTerms.NONE : rule.terms();
    return terms.over(configured).unit() != before.over(configured).unit()
        ? terms
        : terms.over(new BudgetTerms(null, null, null, null, null, null, before.increases()));
  }

  private static ApiException noBudget() {
    return ApiException.notFound(
        "There is no budget of this name, nor does the configuration have one.");
  }

  /** Raises a budget of a key, be it its own or a configured one, for a time. */
  Shown increase(String publicId, String name, BigDecimal by, Duration expiresIn, Act act) {
    checkArgument(by.signum() > 0, "by must be more than 0");
    long time = transactions.read(handle -> handle.attach(ApiKeyDao.class).nowMillis());
    Instant now = Instant.ofEpochMilli(time).truncatedTo(ChronoUnit.SECONDS);
    BudgetTerms.Increase more = new BudgetTerms.Increase(by, now.plus(expiresIn).toString());
    return key(
        publicId,
        act,
        own -> {
          BudgetsConfiguration.Rule rule = rule(BudgetOwner.KEY, name, own.get(name));
          if (!own.containsKey(name) && rule == null) {
            throw noBudget();
          }
          own.merge(
              name,
              BudgetTerms.NONE.increased(more, now),
              (before, unused) -> before.increased(more, now));
          return checked(BudgetOwner.KEY, name, own, rule);
        });
  }

  private Shown key(
      String publicId, Act act, Function<Map<String, BudgetTerms>, @Nullable Budget> change) {
    AtomicReference<@Nullable Budget> budget = new AtomicReference<>();
    ApiKey changed =
        keys.change(
            publicId,
            act,
            (dao, key) -> {
              Map<String, BudgetTerms> own = new TreeMap<>(OwnBudgets.read(key.budgets()));
              budget.set(change.apply(own));
              dao.setBudgets(key.id(), OwnBudgets.write(own));
            });
    raise(budget.get(), changed.id());
    return new Shown(publicId, new TreeMap<>(OwnBudgets.read(changed.budgets())));
  }

  /** The same of a project. */
  Shown ofProject(String project, String name, BudgetTerms terms, Act act) {
    AtomicLong changed = new AtomicLong();
    AtomicReference<@Nullable Budget> budget = new AtomicReference<>();
    Shown shown =
        transactions.write(
            handle -> {
              ApiKeyDao dao = handle.attach(ApiKeyDao.class);
              ApiKeyDao.ProjectRow row =
                  dao.lockProject(project)
                      .orElseThrow(
                          () -> ApiException.notFound("There is no project with this name."));
              Map<String, BudgetTerms> own = new TreeMap<>(OwnBudgets.read(row.budgets()));
              Shown before = new Shown(row.name(), Map.copyOf(own));
              budget.set(set(BudgetOwner.PROJECT, name, terms, own));
              dao.setProjectBudgets(row.id(), OwnBudgets.write(own));
              Shown after = new Shown(row.name(), own);
              act.record(handle, row.publicId(), before, after);
              changed.set(row.id());
              return after;
            });
    evictProject.accept(changed.get());
    raise(budget.get(), changed.get());
    return shown;
  }

  /**
   * Has streams in flight know of a higher limit, of which the next call of the budget would have
   * to tell them else: they are not cut while there is budget.
   */
  private void raise(@Nullable Budget budget, long ownerId) {
    if (budget == null) {
      return;
    }
    int unused =
        transactions.write(
            handle -> {
              long now = handle.attach(ApiKeyDao.class).nowMillis();
              return handle
                  .createUpdate(
                      "UPDATE budget_windows SET max_amount = GREATEST(max_amount, :limit)"
                          + " WHERE id = :id AND owner_id = :owner")
                  .bind("limit", budget.limit())
                  .bind("id", budget.windowId(ownerId, budget.span().at(now, zone)))
                  .bind("owner", ownerId)
                  .execute();
            });
  }

  /** The budget; what would be none is refused. */
  private Budget checked(
      BudgetOwner owner,
      String name,
      Map<String, BudgetTerms> own,
      BudgetsConfiguration.@Nullable Rule rule) {
    checkArgument(own.size() <= MAX_BUDGETS, "there are at most 32 budgets");
    BudgetTerms terms = own.getOrDefault(name, BudgetTerms.NONE);
    return (rule == null ? terms : terms.over(rule.terms())).named(name, owner, clock.instant());
  }
}
