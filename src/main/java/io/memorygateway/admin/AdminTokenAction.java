package io.memorygateway.admin;

import static java.util.Objects.requireNonNullElse;

import io.memorygateway.audit.Act;
import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.Role;
import io.memorygateway.operator.TaskUsage;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Operations on admin tokens: issue, list, revoke. */
public enum AdminTokenAction {
  ISSUE("Make a token for the admin port; its secret is shown once.") {
    @Override
    List<Parameter> parameters() {
      return List.of(
          Parameter.required("name", "whose it is, or what for; stands in the audit log"),
          Parameter.required("role", "viewer, operator or owner"),
          Parameter.optional("expiresIn", "such as 30d, at most 366d; 90d if left out"));
    }

    @Override
    Object run(AdminTokens tokens, ParameterValues values, Act act) {
      values.oneOf("role", Arrays.stream(Role.values()).map(Role::wireName).toList());
      return tokens.issue(
          values.required("name"),
          Role.of(values.required("role")),
          requireNonNullElse(values.duration("expiresIn"), AdminTokens.DEFAULT_VALIDITY),
          act);
    }
  },
  LIST("Show the admin tokens, without secrets.") {
    @Override
    List<Parameter> parameters() {
      return List.of();
    }

    @Override
    Object run(AdminTokens tokens, ParameterValues values, Act act) {
      return tokens.list();
    }
  },
  REVOKE("Make an admin token worthless.") {
    @Override
    List<Parameter> parameters() {
      return List.of(Parameter.required("id", "of the token"));
    }

    @Override
    Object run(AdminTokens tokens, ParameterValues values, Act act) {
      return tokens.revoke(values.required("id"), act);
    }
  };

  private final String help;

  AdminTokenAction(String help) {
    this.help = help;
  }

  abstract List<Parameter> parameters();

  /** Performs the operation; returns an {@link AdminTokenView} or a list of them. */
  abstract Object run(AdminTokens tokens, ParameterValues values, Act act);

  /** Usage of the operation's task, such as {@code admin-token-issue}. */
  public TaskUsage usage() {
    return new TaskUsage(
        "admin-token-" + name().toLowerCase(Locale.ROOT), help, parameters(), true);
  }
}
