package io.memorygateway.operator;

import io.memorygateway.http.errors.ApiException;
import org.jspecify.annotations.Nullable;

/**
 * Operation for operators, with the same parameters on the admin port ({@code POST
 * /tasks/NAME?name=value}) and on the command line, answered in JSON unless another format is
 * requested.
 */
public interface AdminTask {

  TaskUsage usage();

  /**
   * Performs the task.
   *
   * @return the answer, which Jackson writes, or a {@link TextAnswer}
   * @throws ApiException for every error that the operator can correct
   */
  Object run(ParameterValues values);

  /**
   * Whether the task changes nothing with these parameters; changes are recorded.
   *
   * @param values which may lack what is required
   */
  default boolean isReadOnly(ParameterValues values) {
    return usage().role() == Role.VIEWER;
  }

  /** What the task is about with these parameters, for the audit log; empty if it is the node. */
  default String subject(ParameterValues values) {
    return "";
  }

  /**
   * What the task is about to change, for the audit log; null if there is nothing to show.
   *
   * @throws ApiException for every error that the operator can correct
   */
  default @Nullable Object before(ParameterValues values) {
    return null;
  }

  /**
   * The role that the task needs.
   *
   * @param values which may lack what is required
   */
  default Role role(ParameterValues values) {
    return isReadOnly(values) ? Role.VIEWER : usage().role();
  }

  /** The answer as a table for a terminal; only for tasks whose usage has one. */
  default Table table(Object answer) {
    throw new UnsupportedOperationException(usage().name() + " has no table");
  }
}
