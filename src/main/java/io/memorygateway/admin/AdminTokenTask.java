package io.memorygateway.admin;

import static java.util.Objects.requireNonNullElse;

import io.memorygateway.audit.Act;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.RecordedTask;
import io.memorygateway.operator.Role;
import io.memorygateway.operator.Table;
import io.memorygateway.operator.TaskUsage;
import java.util.Arrays;
import java.util.List;

/** Admin task of an {@link AdminTokenAction}, such as {@code admin-token-issue}. */
record AdminTokenTask(AdminTokenAction action, AdminTokens tokens) implements RecordedTask {
  private static final List<String> COLUMNS =
      List.of("ID", "NAME", "ROLE", "TOKEN", "CREATED", "EXPIRES", "REVOKED");

  @Override
  public TaskUsage usage() {
    return action.usage();
  }

  @Override
  public boolean isReadOnly(ParameterValues values) {
    return action == AdminTokenAction.LIST;
  }

  @Override
  public Role role(ParameterValues values) {
    return Role.OWNER;
  }

  @Override
  public Object run(ParameterValues values) {
    return tokens.list();
  }

  @Override
  public Object run(ParameterValues values, Act act) {
    return switch (action) {
      case LIST -> run(values);
      case ISSUE -> {
        values.oneOf("role", Arrays.stream(Role.values()).map(Role::wireName).toList());
        yield tokens.issue(
            values.required("name"),
            Role.of(values.required("role")),
            requireNonNullElse(values.duration("expiresIn"), AdminTokens.DEFAULT_VALIDITY),
            act);
      }
      case REVOKE -> tokens.revoke(values.required("id"), act);
    };
  }

  @Override
  public Table table(Object answer) {
    Table table = new Table(COLUMNS);
    List<?> shown = answer instanceof List<?> list ? list : List.of(answer);
    for (Object each : shown) {
      AdminTokenView token = (AdminTokenView) each;
      table.add(
          List.of(
              token.id(),
              token.name(),
              token.role(),
              token.token() == null ? token.prefix() + "…" : token.token(),
              token.createdAt(),
              token.expiresAt(),
              token.revokedAt() == null ? "-" : token.revokedAt()));
    }
    return table;
  }
}
