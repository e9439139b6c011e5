package io.memorygateway.proxy.upstream;

import java.io.EOFException;

/** Reason why an upstream's answer is missing or incomplete. */
public final class UpstreamFailure extends Exception {
  /** The kind of failure, as far as callers distinguish it. */
  public enum Kind {
    /** Refused, reset or closed before the first byte of an answer; may be retried once. */
    UNREACHABLE,
    /** Reset or closed in the middle of an answer, or not HTTP at all. */
    BROKEN,
    /** Nothing was received in time. */
    TIMEOUT,
    /** The client left, so the call was cancelled. */
    CANCELLED,
    /** This node is being stopped. */
    STOPPED,
    /** This node has no heap left for the answer. */
    NO_ROOM,
    /** The caller's key, or its project, has its share of the connections to the upstream. */
    NO_SHARE,
    /** All connections to the upstream are in use. */
    NO_CONNECTION
  }

  private final Kind kind;

  public UpstreamFailure(Kind kind, Throwable cause) {
    super(describe(cause), cause);
    this.kind = kind;
  }

  /**
   * The cause in one line of the log; of a closed connection, Jetty gives the state of its parts.
   */
  private static String describe(Throwable cause) {
    return cause instanceof EOFException ? "the connection was closed" : cause.toString();
  }

  public Kind kind() {
    return kind;
  }

  /** Whether the upstream is the cause. */
  public boolean isOfUpstream() {
    return switch (kind) {
      case UNREACHABLE, BROKEN, TIMEOUT -> true;
      case CANCELLED, STOPPED, NO_ROOM, NO_SHARE, NO_CONNECTION -> false;
    };
  }
}
