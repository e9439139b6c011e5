package io.memorygateway.auth;

import io.memorygateway.audit.Act;
import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.Role;
import io.memorygateway.operator.TaskUsage;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** Administrative operation on keys (contract §9). */
public enum KeyAction {
  ISSUE("Make a key; its secret is shown once.") {
    @Override
    List<Parameter> parameters() {
      return List.of(
          Parameter.required("project", "name of the project, made with its first key"),
          Parameter.required("name", "to tell the key by"),
          Parameter.optional("expiresIn", "such as 90d; never if left out"));
    }

    @Override
    Object run(ApiKeys keys, ParameterValues values, Set<String> rules, Act act) {
      return KeyView.of(
          keys.issue(
              values.required("project"),
              values.required("name"),
              values.duration("expiresIn"),
              act));
    }
  },
  LIST("Show the keys, without secrets.") {
    @Override
    List<Parameter> parameters() {
      return List.of(Parameter.optional("project", "only keys of this project"));
    }

    @Override
    Object run(ApiKeys keys, ParameterValues values, Set<String> rules, Act act) {
      return list(keys, values);
    }
  },
  ROTATE("Give a key a new secret; the old one stops working.") {
    @Override
    List<Parameter> parameters() {
      return List.of(Parameter.required("id", "of the key"));
    }

    @Override
    Object run(ApiKeys keys, ParameterValues values, Set<String> rules, Act act) {
      return KeyView.of(keys.rotate(values.required("id"), act));
    }
  },
  REVOKE("Make a key worthless.") {
    @Override
    List<Parameter> parameters() {
      return List.of(Parameter.required("id", "of the key"));
    }

    @Override
    Object run(ApiKeys keys, ParameterValues values, Set<String> rules, Act act) {
      return KeyView.of(keys.revoke(values.required("id"), act));
    }
  },
  LIMITS("Give a key a limit of its own for one rule; without --limit, the configured one again.") {
    @Override
    List<Parameter> parameters() {
      return List.of(
          Parameter.required("id", "of the key"),
          Parameter.required("rule", "name of a rate limit in the configuration"),
          Parameter.optional("limit", "requests in a window"));
    }

    @Override
    Object run(ApiKeys keys, ParameterValues values, Set<String> rules, Act act) {
      String rule = values.required("rule");
      values.oneOf("rule", List.copyOf(new TreeSet<>(rules)));
      return KeyView.of(keys.limit(values.required("id"), rule, values.positive("limit"), act));
    }
  };

  private final String help;

  KeyAction(String help) {
    this.help = help;
  }

  abstract List<Parameter> parameters();

  /** Performs the operation; returns a {@link KeyView} or a list of them. */
  abstract Object run(ApiKeys keys, ParameterValues values, Set<String> rules, Act act);

  /** The list of keys, as {@link #LIST} returns it. */
  static List<KeyView> list(ApiKeys keys, ParameterValues values) {
    return keys.list(values.optional("project")).stream().map(KeyView::of).toList();
  }

  /** The role that the operation needs. */
  Role role() {
    return switch (this) {
      case LIST -> Role.VIEWER;
      case LIMITS -> Role.OPERATOR;
      case ISSUE, ROTATE, REVOKE -> Role.OWNER;
    };
  }

  /** Usage of the operation's task, such as {@code key-issue}. */
  public TaskUsage usage() {
    return new TaskUsage("key-" + name().toLowerCase(Locale.ROOT), help, parameters(), true);
  }
}
