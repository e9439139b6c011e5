package io.memorygateway.http;

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
 * The values of Host that the admin port serves: localhost, loopback addresses, the address that
 * the request arrived at, what the connector is bound to, and configured names. A name that an
 * attacker lets point here (DNS rebinding) is none of them. The port does not matter: a tunnel or a
 * container's port mapping may have another.
 */
final class AdminHosts {
  private final Set<String> configured;

  AdminHosts(Collection<String> configured) {
    this.configured = configured.stream().map(AdminHosts::lowerCase).collect(Collectors.toSet());
  }

  /**
   * Whether a request may ask for this host.
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
    // Only what is an address already: a look-up would ask whoever owns the name.
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
