package io.memorygateway.operator;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;

/**
 * Name, help and parameters of a task, known without a configuration or a database.
 *
 * @param name such as {@code key-issue}: the last part of the path on the admin port
 * @param parameters the task's parameters
 * @param role that it needs; {@link Role#VIEWER} if it changes nothing
 * @param hasTable whether a terminal shows {@link AdminTask#table} unless JSON is requested
 */
public record TaskUsage(
    String name,
    String help,
    List<Parameter> parameters,
    @JsonIgnore Role role,
    @JsonIgnore boolean hasTable) {
  public TaskUsage {
    parameters = List.copyOf(parameters);
  }

  /** Creates the usage of a task whose answer is the same everywhere. */
  public static TaskUsage of(String name, String help, List<Parameter> parameters) {
    return of(name, help, parameters, Role.OPERATOR);
  }

  /** Creates the same of a task that needs a role. */
  public static TaskUsage of(String name, String help, List<Parameter> parameters, Role role) {
    return new TaskUsage(name, help, parameters, role, false);
  }

  /** The same usage under another name. */
  TaskUsage named(String other) {
    return new TaskUsage(other, help, parameters, role, hasTable);
  }
}
