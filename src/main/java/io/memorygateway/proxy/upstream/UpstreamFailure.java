package io.memorygateway.proxy.upstream;

import java.io.EOFException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

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

  /** The fault of an answer that is not what was asked for. */
  public static final String UNUSABLE = "its answer was not usable";

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

  /**
   * What failed, in words for callers: of the kind of the cause alone, never a text of the
   * upstream.
   */
  public String fault() {
    for (Throwable each = getCause(); each != null; each = each.getCause()) {
      if (each instanceof UnknownHostException || each instanceof UnresolvedAddressException) {
        return "its name was not found";
      }
      if (each instanceof SSLException) {
        return "TLS failed";
      }
      if (each instanceof SocketTimeoutException) {
        return "no connection was made";
      }
      if (each instanceof ConnectException) {
        return "the connection was refused";
      }
      if (each instanceof TimeoutException) {
        return "nothing was received";
      }
      // Jetty tells of a reset as of an end.
      if (each instanceof EOFException
          || each instanceof ClosedChannelException
          || each instanceof SocketException) {
        return "the connection was reset or closed";
      }
    }
    return UNUSABLE;
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
