package io.memorygateway.auth;

import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.Role;
import io.memorygateway.operator.TaskUsage;
import java.util.List;
import java.util.Locale;

/** Administrative operation on keys (contract §9). */
public enum KeyAction {
  ISSUE,
  LIST,
  ROTATE,
  REVOKE,
  LIMITS,
  SCOPE;

  private static final Parameter ID = Parameter.required("id", "of the key");

  Role role() {
    return switch (this) {
      case LIST -> Role.VIEWER;
      case LIMITS, SCOPE -> Role.OPERATOR;
      case ISSUE, ROTATE, REVOKE -> Role.OWNER;
    };
  }

  /** Usage of the operation's task, such as {@code key-issue}. */
  public TaskUsage usage() {
    return switch (this) {
      case ISSUE ->
          usage(
              "Make a key; its secret is shown once.",
              Parameter.required("project", "name of the project, made with its first key"),
              Parameter.required("name", "to tell the key by"),
              Parameter.optional("expiresIn", "such as 90d; never if left out"));
      case LIST ->
          usage(
              "Show the keys, without secrets.",
              Parameter.optional("project", "only keys of this project"));
      case ROTATE -> usage("Give a key a new secret; the old one stops working.", ID);
      case REVOKE -> usage("Make a key worthless.", ID);
      case LIMITS ->
          usage(
              "Give a key a limit of its own for one rule;"
                  + " without --limit, the configured one again.",
              ID,
              Parameter.required("rule", "name of a rate limit in the configuration"),
              Parameter.optional("limit", "requests in a window"));
      case SCOPE ->
          usage(
              "Change what a key may do; what is not given stays, and an empty value is no limit.",
              ID,
              Parameter.cleared("models", "names and patterns of models and routes: vllm/*,fast"),
              Parameter.cleared("endpoints", String.join(",", KeyScopes.ENDPOINTS)),
              Parameter.cleared("memory", "all, read or none"),
              Parameter.cleared("addresses", "that it may be used from: 10.0.0.0/8,2001:db8::/32"),
              Parameter.cleared("expiresIn", "from now on, such as 90d; never if empty"));
    };
  }

  private TaskUsage usage(String help, Parameter... parameters) {
    return new TaskUsage(
        "key-" + name().toLowerCase(Locale.ROOT), help, List.of(parameters), role(), true);
  }
}
