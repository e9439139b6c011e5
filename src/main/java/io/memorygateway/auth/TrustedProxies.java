package io.memorygateway.auth;

import com.google.common.net.HostAndPort;
import com.google.common.net.InetAddresses;
import io.memorygateway.http.api.RequestNotes;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** Proxies in front of the gateway whose {@code X-Forwarded-For} is believed (contract §15). */
public final class TrustedProxies {
  private final List<AddressRange> ranges;

  /**
   * Creates the list of the configuration.
   *
   * @throws IllegalArgumentException if one is no range of addresses
   */
  public TrustedProxies(List<String> ranges) {
    this.ranges = ranges.stream().map(AddressRange::parse).toList();
  }

  boolean isEmpty() {
    return ranges.isEmpty();
  }

  /**
   * The address that a request comes from; null if it did not come over IP. What a connector with
   * {@code useForwardedHeaders} has made of it does not count: it believes everybody.
   */
  @Nullable InetAddress client(HttpServletRequest request) {
    Request received = RequestNotes.of(request).received();
    return received != null
            && received.getConnectionMetaData().getRemoteSocketAddress()
                instanceof InetSocketAddress at
            && at.getAddress() != null
        ? client(at.getAddress(), received.getHeaders().getValuesList(HttpHeader.X_FORWARDED_FOR))
        : null;
  }

  /**
   * The rightmost address that is none of a proxy's, or the last before something that is no
   * address.
   *
   * @param forwarded the values of all headers
   */
  InetAddress client(InetAddress peer, List<String> forwarded) {
    String[] hops = String.join(",", forwarded).split(",", -1);
    InetAddress client = peer;
    for (int i = hops.length - 1; i >= 0 && trusts(client); i--) {
      InetAddress hop = address(hops[i].strip());
      if (hop == null) {
        return client;
      }
      client = hop;
    }
    return client;
  }

  private boolean trusts(InetAddress address) {
    return ranges.stream().anyMatch(range -> range.contains(address));
  }

  /** The address of a hop, which may have a port; null if it is none. */
  private static @Nullable InetAddress address(String hop) {
    try {
      return InetAddresses.forString(HostAndPort.fromString(hop).getHost());
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
