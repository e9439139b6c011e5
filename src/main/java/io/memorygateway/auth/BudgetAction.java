package io.memorygateway.auth;

import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.Role;
import io.memorygateway.operator.TaskUsage;
import java.util.ArrayList;
import java.util.List;

/** Administrative operation on the budgets of a key or a project (contract §15). */
public enum BudgetAction {
  KEY_BUDGET,
  PROJECT_BUDGET,
  KEY_BUDGET_INCREASE;

  private static final Parameter NAME = Parameter.required("name", "of the budget");
  private static final Parameter KEY = Parameter.required("id", "of the key");

  /** Usage of the operation's task, such as {@code key-budget}. */
  public TaskUsage usage() {
    return switch (this) {
      case KEY_BUDGET ->
          terms(
              "key-budget", "Give a key a budget of its own; without --limit, take it away.", KEY);
      case PROJECT_BUDGET ->
          terms(
              "project-budget",
              "Give a project a budget of its own; without --limit, take it away.",
              Parameter.required("project", "name of the project"));
      case KEY_BUDGET_INCREASE ->
          new TaskUsage(
              "key-budget-increase",
              "Raise a budget of a key for a time.",
              List.of(
                  KEY,
                  NAME,
                  Parameter.required("by", "tokens, or dollars"),
                  Parameter.required("expiresIn", "such as 2d")),
              Role.OPERATOR,
              true);
    };
  }

  private static TaskUsage terms(String name, String help, Parameter owner) {
    List<Parameter> parameters = new ArrayList<>(List.of(owner, NAME));
    parameters.add(Parameter.optional("unit", "tokens or usd"));
    parameters.add(Parameter.optional("limit", "tokens, or dollars, in a window"));
    parameters.add(
        Parameter.optional("window", "from 1m to 31d, such as 5h, or day, week, month or total"));
    parameters.add(
        Parameter.optional("models", "names or patterns, with commas between; all if left out"));
    parameters.add(Parameter.optional("mode", "enforce, or shadow to count alone"));
    parameters.add(
        Parameter.optional("unpriced", "refuse, or allow calls whose price is not known"));
    return new TaskUsage(name, help, parameters, Role.OPERATOR, true);
  }
}
