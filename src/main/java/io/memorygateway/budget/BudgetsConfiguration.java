package io.memorygateway.budget;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * {@code budgets:} in config.yml (contract §15).
 *
 * @param timeZone of calendar windows; default UTC
 * @param assumedOutput tokens that are held for a call without an output limit; default 4,096
 * @param clamp whether the output limit of a call that does not fit is lowered to what is left;
 *     default false
 * @param costComment whether a stream tells its cost in a comment before its last event; default
 *     false
 * @param rules budgets of every key or project
 */
public record BudgetsConfiguration(
    ZoneId timeZone, long assumedOutput, boolean clamp, boolean costComment, List<Rule> rules) {
  private static final long MAX_ASSUMED = 1_000_000;
  private static final int MAX_RULES = 32;

  public BudgetsConfiguration {
    rules = List.copyOf(rules);
    if (assumedOutput < 1 || assumedOutput > MAX_ASSUMED) {
      throw new IllegalArgumentException("budgets.assumedOutput must be from 1 to 1000000");
    }
    if (rules.size() > MAX_RULES) {
      throw new IllegalArgumentException("budgets.rules: there are at most 32");
    }
    Set<String> names = new HashSet<>();
    for (Rule rule : rules) {
      try {
        Budget unused = rule.terms().named(rule.name(), rule.appliesTo(), Instant.EPOCH);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "budgets.rules.%s: %s".formatted(rule.name(), e.getMessage()), e);
      }
      if (!names.add(rule.name())) {
        throw new IllegalArgumentException(
            "budgets.rules: %s is there twice".formatted(rule.name()));
      }
    }
  }

  @JsonCreator
  static BudgetsConfiguration read(
      @Nullable String timeZone,
      @Nullable Long assumedOutput,
      @Nullable Boolean clamp,
      @Nullable Boolean costComment,
      @Nullable List<Rule> rules) {
    return new BudgetsConfiguration(
        zone(timeZone),
        requireNonNullElse(assumedOutput, 4096L),
        requireNonNullElse(clamp, false),
        requireNonNullElse(costComment, false),
        requireNonNullElse(rules, List.of()));
  }

  private static ZoneId zone(@Nullable String name) {
    try {
      return ZoneId.of(name == null ? "UTC" : name);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "budgets.timeZone must be the name of a time zone, such as Europe/Berlin", e);
    }
  }

  public static BudgetsConfiguration defaults() {
    return read(null, null, null, null, null);
  }

  /** The patterns of models of the rules that have some, by the rules' names. */
  public Map<String, List<String>> models() {
    Map<String, List<String>> models = new LinkedHashMap<>();
    rules.forEach(
        rule -> models.put(rule.name(), requireNonNullElse(rule.terms().models(), List.of())));
    return models;
  }

  /** What is said of an owner's budgets, its own words before those of the rules. */
  public Map<String, BudgetTerms> terms(BudgetOwner owner, OwnBudgets own) {
    Map<String, BudgetTerms> terms = new TreeMap<>(own.of(owner));
    for (Rule rule : rules) {
      if (rule.appliesTo() == owner) {
        terms.merge(rule.name(), rule.terms(), BudgetTerms::over);
      }
    }
    return terms;
  }

  /**
   * A budget of every key, or of every project.
   *
   * @param appliesTo {@code key} if left out
   */
  public record Rule(String name, BudgetOwner appliesTo, BudgetTerms terms) {
    @JsonCreator
    static Rule read(
        @Nullable String name,
        @Nullable BudgetUnit unit,
        @Nullable BigDecimal limit,
        @Nullable BudgetSpan window,
        @Nullable BudgetOwner appliesTo,
        @Nullable List<String> models,
        @Nullable String mode,
        @Nullable String unpriced) {
      return new Rule(
          requireNonNullElse(name, ""),
          requireNonNullElse(appliesTo, BudgetOwner.KEY),
          new BudgetTerms(unit, limit, window, models, mode, unpriced, null));
    }
  }
}
