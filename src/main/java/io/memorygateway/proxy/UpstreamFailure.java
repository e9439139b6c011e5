package io.memorygateway.proxy;

/** Why an upstream's answer cannot be had, or did not come to its end. */
final class UpstreamFailure extends Exception {
  /** The kind of failure, as far as the caller has to know it. */
  enum Kind {
    /** Refused, reset or closed before a byte of an answer: may be tried once more. */
    UNREACHABLE,
    /** Reset or closed in the middle, or not HTTP at all. */
    BROKEN,
    /** Nothing was received in time. */
    TIMEOUT,
    /** The client left, so the call was given up. */
    CANCELLED,
    /** This node ends and waits no longer. */
    STOPPED,
    /** This node has no heap left for the answer. */
    NO_ROOM
  }

  private final Kind kind;

  UpstreamFailure(Kind kind, Throwable cause) {
    super(cause.toString(), cause);
    this.kind = kind;
  }

  Kind kind() {
    return kind;
  }

  /** Whether it is the upstream that failed. */
  boolean isOfUpstream() {
    return kind != Kind.CANCELLED && kind != Kind.STOPPED && kind != Kind.NO_ROOM;
  }
}
