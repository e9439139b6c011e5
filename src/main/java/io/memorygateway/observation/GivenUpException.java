package io.memorygateway.observation;

/**
 * Work on a thread that must not go on: the thread is deleted, another one holds the lease, or what
 * the work rests on has changed. Nothing of it is written.
 */
final class GivenUpException extends RuntimeException {
  /** Why. */
  enum Reason {
    THREAD_GONE,
    LEASE_LOST,
    MESSAGES_CHANGED,
    NO_HEAP
  }

  private final Reason reason;

  GivenUpException(Reason reason) {
    super(reason.name(), null, false, false);
    this.reason = reason;
  }

  Reason reason() {
    return reason;
  }
}
