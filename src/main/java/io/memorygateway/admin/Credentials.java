package io.memorygateway.admin;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * What a request brings that tells who sent it.
 *
 * @param headers as they were received
 * @param peer the other end of the connection, whatever a header says of it; null if it is no IP
 */
record Credentials(HttpFields headers, @Nullable InetAddress peer) {

  /**
   * Of a request, without what a connector with useForwardedHeaders puts in the place of its own.
   */
  static Credentials of(Request request) {
    Request received = Request.unWrap(request);
    SocketAddress remote = received.getConnectionMetaData().getRemoteSocketAddress();
    return new Credentials(
        received.getHeaders(),
        remote instanceof InetSocketAddress address ? address.getAddress() : null);
  }

  String address() {
    return peer == null ? "" : peer.getHostAddress();
  }

  /** What follows a scheme in {@code Authorization}; null if there is none, or another scheme. */
  @Nullable String authorization(String scheme) {
    String header = headers.get(HttpHeader.AUTHORIZATION);
    String start = scheme + " ";
    return header != null && header.regionMatches(true, 0, start, 0, start.length())
        ? header.substring(start.length()).strip()
        : null;
  }
}
