package io.memorygateway.auth;

import io.memorygateway.audit.Act;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.RecordedTask;
import io.memorygateway.operator.Table;
import io.memorygateway.operator.TaskUsage;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Admin task of a {@link KeyAction}, such as {@code key-issue}.
 *
 * @param rules names of the rate-limit rules that a key may override
 */
record KeyTask(KeyAction action, ApiKeys keys, Set<String> rules) implements RecordedTask {
  private static final List<String> COLUMNS =
      List.of(
          "ID",
          "PROJECT",
          "NAME",
          "KEY",
          "LIMITS",
          "SCOPES",
          "BUDGETS",
          "CREATED",
          "EXPIRES",
          "REVOKED",
          "LAST USED");

  @Override
  public TaskUsage usage() {
    return action.usage();
  }

  @Override
  public Object run(ParameterValues values) {
    return keys.list(values.optional("project")).stream().map(KeyView::of).toList();
  }

  @Override
  public Object run(ParameterValues values, Act act) {
    return switch (action) {
      case LIST -> run(values);
      case ISSUE ->
          KeyView.of(
              keys.issue(
                  values.required("project"),
                  values.required("name"),
                  values.duration("expiresIn"),
                  act));
      case ROTATE -> KeyView.of(keys.rotate(values.required("id"), act));
      case REVOKE -> KeyView.of(keys.revoke(values.required("id"), act));
      case LIMITS -> {
        String rule = values.required("rule");
        values.oneOf("rule", List.copyOf(new TreeSet<>(rules)));
        yield KeyView.of(keys.limit(values.required("id"), rule, values.positive("limit"), act));
      }
      case SCOPE -> KeyView.of(keys.scope(values.required("id"), values, act));
    };
  }

  @Override
  public Table table(Object answer) {
    Table table = new Table(COLUMNS);
    List<?> shown = answer instanceof List<?> list ? list : List.of(answer);
    for (Object each : shown) {
      KeyView key = (KeyView) each;
      table.add(
          List.of(
              key.id(),
              key.project(),
              key.name(),
              key.key() == null ? key.prefix() + "…" : key.key(),
              key.limits().isEmpty() ? "-" : key.limits().toString(),
              orDash(KeyScopes.format(key.scopes())),
              key.budgets().isEmpty() ? "-" : key.budgets().toString(),
              orDash(key.createdAt()),
              orDash(key.expiresAt()),
              orDash(key.revokedAt()),
              orDash(key.lastUsedAt())));
    }
    return table;
  }

  private static String orDash(@Nullable String value) {
    return value == null ? "-" : value;
  }
}
