package io.memorygateway.operator;

import io.memorygateway.audit.Act;

/**
 * An {@link AdminTask} that records its change in the audit log in the transaction of the change.
 */
public interface RecordedTask extends AdminTask {

  /**
   * Performs the task and records it.
   *
   * @param act to be recorded in each transaction that changes something
   */
  Object run(ParameterValues values, Act act);

  /** Not supported: without an act, nothing could be recorded. */
  @Override
  default Object run(ParameterValues values) {
    throw new UnsupportedOperationException(usage().name() + " needs an act to record");
  }
}
