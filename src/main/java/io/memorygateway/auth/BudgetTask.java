package io.memorygateway.auth;

import static java.util.Objects.requireNonNull;

import com.google.common.base.CharMatcher;
import io.memorygateway.audit.Act;
import io.memorygateway.budget.BudgetSpan;
import io.memorygateway.budget.BudgetTerms;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.RecordedTask;
import io.memorygateway.operator.Table;
import io.memorygateway.operator.TaskUsage;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Admin task of a {@link BudgetAction}. */
record BudgetTask(BudgetAction action, KeyBudgets budgets) implements RecordedTask {
  private static final List<String> COLUMNS = List.of("BUDGET", "TERMS");

  @Override
  public TaskUsage usage() {
    return action.usage();
  }

  @Override
  public Object run(ParameterValues values, Act act) {
    String name = values.required("name");
    try {
      return switch (action) {
        case KEY_BUDGET -> budgets.ofKey(values.required("id"), name, terms(values), act);
        case PROJECT_BUDGET ->
            budgets.ofProject(values.required("project"), name, terms(values), act);
        case KEY_BUDGET_INCREASE ->
            budgets.increase(
                values.required("id"),
                name,
                requireNonNull(number(values, "by")),
                requireNonNull(values.duration("expiresIn")),
                act);
      };
    } catch (IllegalArgumentException e) {
      throw ApiException.invalidRequest(e.getMessage() + ".");
    }
  }

  private static BudgetTerms terms(ParameterValues values) {
    String unit = values.optional("unit");
    String window = values.optional("window");
    String models = values.optional("models");
    return new BudgetTerms(
        unit == null ? null : BudgetUnit.of(unit),
        number(values, "limit"),
        window == null ? null : BudgetSpan.parse(window),
        models == null ? null : Arrays.stream(models.split(",", -1)).map(String::strip).toList(),
        values.oneOf("mode", List.of("enforce", "shadow")),
        values.oneOf("unpriced", List.of("refuse", "allow")),
        null);
  }

  private static @Nullable BigDecimal number(ParameterValues values, String parameter) {
    String value = values.optional(parameter);
    if (value == null) {
      return null;
    }
    try {
      BigDecimal number = new BigDecimal(value);
      // A number such as 1e999999999 would be written out; and Java knows the digits of all
      // scripts.
      if (Math.abs(number.scale()) <= 18
          && number.precision() <= 36
          && CharMatcher.ascii().matchesAllOf(value)) {
        return number;
      }
    } catch (NumberFormatException e) {
      // handled below
    }
    throw ApiException.invalidRequest(parameter + " must be a number.");
  }

  @Override
  public Table table(Object answer) {
    Table table = new Table(COLUMNS);
    ((KeyBudgets.Shown) answer)
        .budgets()
        .forEach((name, terms) -> table.add(List.of(name, terms.toString())));
    return table;
  }
}
