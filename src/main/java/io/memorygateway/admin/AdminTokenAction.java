package io.memorygateway.admin;

import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.Role;
import io.memorygateway.operator.TaskUsage;
import java.util.List;
import java.util.Locale;

/** Operations on admin tokens. */
public enum AdminTokenAction {
  ISSUE,
  LIST,
  REVOKE;

  /** Usage of the operation's task, such as {@code admin-token-issue}. */
  public TaskUsage usage() {
    return switch (this) {
      case ISSUE ->
          usage(
              "Make a token for the admin port; its secret is shown once.",
              Parameter.required("name", "whose it is, or what for; stands in the audit log"),
              Parameter.required("role", "viewer, operator or owner"),
              Parameter.optional("expiresIn", "such as 30d, at most 366d; 90d if left out"));
      case LIST -> usage("Show the admin tokens, without secrets.");
      case REVOKE ->
          usage("Make an admin token worthless.", Parameter.required("id", "of the token"));
    };
  }

  private TaskUsage usage(String help, Parameter... parameters) {
    return new TaskUsage(
        "admin-token-" + name().toLowerCase(Locale.ROOT),
        help,
        List.of(parameters),
        Role.OWNER,
        true);
  }
}
