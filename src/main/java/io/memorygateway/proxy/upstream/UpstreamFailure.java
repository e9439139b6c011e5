package io.memorygateway.proxy.upstream;

import java.io.EOFException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.TimeoutException;
import java.util.zip.ZipException;
import javax.net.ssl.SSLException;
import org.eclipse.jetty.client.HttpResponseException;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;

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

  /** Attribute of requests: whether a proxy is on the way. */
  static final String PROXIED = "io.memorygateway.proxied";

  private final Kind kind;
  private final boolean proxied;

  public UpstreamFailure(Kind kind, Throwable cause) {
    this(kind, cause, false);
  }

  UpstreamFailure(Kind kind, Throwable cause, boolean proxied) {
    super(describe(cause), cause);
    this.kind = kind;
    this.proxied = proxied;
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
    String place = proxied ? " to its proxy" : "";
    for (Throwable each = getCause(); each != null; each = each.getCause()) {
      if (each instanceof UnknownHostException || each instanceof UnresolvedAddressException) {
        return (proxied ? "the name of its proxy" : "its name") + " was not found";
      }
      if (each instanceof SSLException) {
        return "TLS failed";
      }
      if (each instanceof ZipException) {
        return "its answer was compressed, unasked, in a way that cannot be read";
      }
      if (each instanceof SocketTimeoutException) {
        return "no connection" + place + " was made";
      }
      if (each instanceof ConnectException) {
        return "the connection" + place + " was refused";
      }
      if (proxied && each instanceof HttpResponseException refusal) {
        if (refusal.getResponse().getStatus() == HttpStatus.PROXY_AUTHENTICATION_REQUIRED_407) {
          return "its proxy did not accept the gateway's user and password";
        }
        return isRefusedTunnel(each) ? "its proxy refused to connect" : UNUSABLE;
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

  /** Whether a proxy refused to connect; of answers that are no HTTP, Jetty tells likewise. */
  static boolean isRefusedTunnel(Throwable cause) {
    return cause instanceof HttpResponseException refusal
        && HttpMethod.CONNECT.is(refusal.getResponse().getRequest().getMethod());
  }

  public Kind kind() {
    return kind;
  }

  public boolean isOfUpstream() {
    return switch (kind) {
      case UNREACHABLE, BROKEN, TIMEOUT -> true;
      case CANCELLED, STOPPED, NO_ROOM, NO_SHARE, NO_CONNECTION -> false;
    };
  }
}
