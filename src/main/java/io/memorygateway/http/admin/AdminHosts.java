package io.memorygateway.http.admin;

import com.google.common.net.HostAndPort;
import com.google.common.net.InetAddresses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Values of Host that the admin port serves: localhost, loopback addresses, the address that the
 * request arrived at, the connector's bind address, and configured names. A name that an attacker
 * points to this machine (DNS rebinding) is not among them. The port is ignored: that of a tunnel
 * or of a container's port mapping may differ.
 */
final class AdminHosts {
  private final Set<String> configured;

  AdminHosts(Collection<String> configured) {
    this.configured = configured.stream().map(AdminHosts::lowerCase).collect(Collectors.toSet());
  }

  /**
   * Whether a request for this host is allowed.
   *
   * @param hostHeader null or blank: a probe of HTTP/1.0; browsers always send one
   * @param boundTo the host of the connector, as configured; null for every address
   * @param arrivedAt this machine's end of the connection
   */
  boolean allow(@Nullable String hostHeader, @Nullable String boundTo, SocketAddress arrivedAt) {
    if (hostHeader == null || hostHeader.isBlank()) {
      return true;
    }
    String host = hostOf(hostHeader);
    if (host == null) {
      return false;
    }
    if (host.equals("localhost")
        || configured.contains(host)
        || (boundTo != null && host.equals(lowerCase(boundTo)))) {
      return true;
    }
    // Literal addresses only: a look-up would ask the name server of whoever owns the name.
    if (!InetAddresses.isInetAddress(host)) {
      return false;
    }
    InetAddress address = InetAddresses.forString(host);
    return address.isLoopbackAddress()
        || (arrivedAt instanceof InetSocketAddress local && address.equals(local.getAddress()));
  }

  private static @Nullable String hostOf(String hostHeader) {
    try {
      return lowerCase(HostAndPort.fromString(hostHeader.strip()).getHost());
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static String lowerCase(String host) {
    return host.toLowerCase(Locale.ROOT);
  }
}
