package io.memorygateway.admin;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Parts of a request that identify its sender.
 *
 * @param headers as they were received
 * @param peer the other end of the connection, whatever a header says; null if it has no IP address
 */
record Credentials(HttpFields headers, @Nullable InetAddress peer) {

  /**
   * Reads a request; the peer is that of the connection even if the connector has
   * useForwardedHeaders.
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

  /**
   * The value of {@code Authorization} after a scheme; null if it is absent or has another scheme.
   */
  @Nullable String authorization(String scheme) {
    String header = headers.get(HttpHeader.AUTHORIZATION);
    String start = scheme + " ";
    return header != null && header.regionMatches(true, 0, start, 0, start.length())
        ? header.substring(start.length()).strip()
        : null;
  }
}
