package io.memorygateway.observation;

/**
 * Thrown when work on a thread must stop: the thread was deleted, another node holds the lease, the
 * messages have changed, or there is no heap. Nothing of the work is written.
 */
final class WorkAbortedException extends RuntimeException {
  enum Reason {
    THREAD_GONE,
    LEASE_LOST,
    MESSAGES_CHANGED,
    NO_HEAP
  }

  private final Reason reason;

  WorkAbortedException(Reason reason) {
    super(reason.name(), null, false, false);
    this.reason = reason;
  }

  Reason reason() {
    return reason;
  }
}
