package io.memorygateway.operator;

import io.memorygateway.audit.Act;

/**
 * An {@link AdminTask} that records its change in the audit log in the transaction of the change.
 */
public interface RecordedTask extends AdminTask {

  /**
   * Does it, and records it.
   *
   * @param act to be recorded in each transaction that changes something
   */
  Object run(Words words, Act act);

  /** Never called: without an act, nothing could be recorded. */
  @Override
  default Object run(Words words) {
    throw new UnsupportedOperationException(usage().name() + " needs an act to record");
  }
}
