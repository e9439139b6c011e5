package io.memorygateway.budget;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is said of a budget: by config.yml all of it, by an operator for one key or project what is
 * different there.
 *
 * @param limit in tokens, or in dollars
 * @param models globs; null: nothing is said
 * @param mode {@code enforce} or {@code shadow}
 * @param unpriced {@code refuse} or {@code allow}
 * @param increases of the limit, for a time
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record BudgetTerms(
    @Nullable BudgetUnit unit,
    @Nullable BigDecimal limit,
    @Nullable BudgetSpan window,
    @Nullable List<String> models,
    @Nullable String mode,
    @Nullable String unpriced,
    @Nullable List<Increase> increases) {
  private static final int MAX_NAME = 64;
  private static final int MAX_MODELS = 64;
  private static final int MAX_INCREASES = 32;
  private static final int MAX_ZEROS = 18;

  public static final BudgetTerms NONE = new BudgetTerms(null, null, null, null, null, null, null);

  public BudgetTerms {
    limit = limit == null ? null : inDigits(limit);
  }

  /** A number such as 1e3 as 1000, as it is shown; what is out of all bounds as it is. */
  private static BigDecimal inDigits(BigDecimal number) {
    return number.scale() < 0 && number.scale() >= -MAX_ZEROS ? number.setScale(0) : number;
  }

  /**
   * More than the limit, for a time.
   *
   * @param by in tokens, or in dollars
   * @param until ISO-8601
   */
  public record Increase(BigDecimal by, String until) {
    public Increase {
      by = inDigits(by);
    }

    boolean runsAt(Instant now) {
      return Instant.parse(until).isAfter(now);
    }

    @Override
    public String toString() {
      return "by %s until %s".formatted(by.toPlainString(), until);
    }
  }

  /** These, and those where these say nothing. */
  public BudgetTerms over(BudgetTerms other) {
    return new BudgetTerms(
        unit == null ? other.unit : unit,
        limit == null ? other.limit : limit,
        window == null ? other.window : window,
        models == null ? other.models : models,
        mode == null ? other.mode : mode,
        unpriced == null ? other.unpriced : unpriced,
        increases == null ? other.increases : increases);
  }

  /** With one more increase, and without those that have ended. */
  public BudgetTerms increased(Increase more, Instant now) {
    List<Increase> all = new ArrayList<>();
    requireNonNullElse(increases, List.<Increase>of()).stream()
        .filter(each -> each.runsAt(now))
        .forEach(all::add);
    all.add(more);
    if (all.size() > MAX_INCREASES) {
      throw new IllegalArgumentException("a budget has at most 32 increases at a time");
    }
    return new BudgetTerms(unit, limit, window, models, mode, unpriced, all);
  }

  /**
   * The budget that these terms make.
   *
   * @throws IllegalArgumentException with a message for the operator, if something is missing or
   *     wrong
   */
  public Budget named(String name, BudgetOwner owner, Instant now) {
    if (name.isEmpty() || name.length() > MAX_NAME || !name.chars().allMatch(BudgetTerms::plain)) {
      throw new IllegalArgumentException(
          "name must have 1 to 64 letters, digits, dots, hyphens and underscores");
    }
    if (unit == null || limit == null || window == null) {
      throw new IllegalArgumentException("unit, limit and window must be given");
    }
    List<String> globs = requireNonNullElse(models, List.<String>of());
    if (globs.size() > MAX_MODELS || globs.stream().anyMatch(String::isBlank)) {
      throw new IllegalArgumentException("models must be at most 64 names or patterns");
    }
    long most = unit.amount(limit);
    for (Increase each : requireNonNullElse(increases, List.<Increase>of())) {
      if (each.runsAt(now)) {
        most = unit.most(most, unit.amount(each.by()));
      }
    }
    return new Budget(
        name,
        unit,
        most,
        window,
        owner,
        globs,
        isSecond("mode", mode, "enforce", "shadow"),
        isSecond("unpriced", unpriced, "refuse", "allow"));
  }

  /** As a table shows them. */
  @Override
  public String toString() {
    return "%s %s in %s%s%s%s"
        .formatted(
            limit == null ? "the configured limit of" : limit.toPlainString(),
            unit == null ? "its unit" : unit.wireName(),
            window == null ? "its window" : window,
            models == null ? "" : " of " + String.join(",", models),
            mode == null ? "" : ", " + mode,
            increases == null ? "" : ", increased " + increases);
  }

  private static boolean plain(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '-'
        || c == '_';
  }

  /** Whether the second of two words is said; the first if nothing is. */
  private static boolean isSecond(String what, @Nullable String said, String first, String second) {
    if (said != null && !said.equals(first) && !said.equals(second)) {
      throw new IllegalArgumentException("%s must be %s or %s".formatted(what, first, second));
    }
    return second.equals(said);
  }
}
