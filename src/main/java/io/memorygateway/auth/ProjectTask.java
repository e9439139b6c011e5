package io.memorygateway.auth;

import io.memorygateway.audit.Act;
import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.RecordedTask;
import io.memorygateway.operator.Role;
import io.memorygateway.operator.TaskUsage;
import java.util.List;

/** Admin task {@code project-create}: makes a project before its first key (contract §1). */
public record ProjectTask(Projects projects) implements RecordedTask {
  public static final TaskUsage USAGE =
      TaskUsage.of(
          "project-create",
          "Make a project, in a home; its first key makes one, too.",
          List.of(
              Parameter.required("project", "name of the project"),
              Parameter.optional(
                  "home", "0 to 32767; of database.homes the least used if left out")),
          Role.OWNER);

  @Override
  public TaskUsage usage() {
    return USAGE;
  }

  @Override
  public Object run(ParameterValues values, Act act) {
    return projects.create(values.required("project"), values.home("home"), act);
  }
}
