package io.memorygateway.http.setup;

import static com.google.common.base.Preconditions.checkArgument;

import io.dropwizard.core.server.DefaultServerFactory;
import io.dropwizard.core.server.ServerFactory;
import io.dropwizard.jetty.HttpConnectorFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The ports that the server's connectors listen on. */
public final class Ports {
  private Ports() {}

  /**
   * Checks that every address is one, and that no two connectors have the same port at the same
   * address.
   *
   * @throws IllegalArgumentException with a one-line message for the operator
   */
  public static void check(ServerFactory serverFactory) {
    List<InetSocketAddress> seen = new ArrayList<>();
    for (HttpConnectorFactory connector : connectors(serverFactory)) {
      InetSocketAddress address = address(connector);
      checkArgument(
          !address.isUnresolved(),
          "server: the bindHost %s is no address, and no name that is known here",
          connector.getBindHost());
      checkArgument(
          address.getPort() == 0 || seen.stream().noneMatch(other -> overlap(address, other)),
          "server: two connectors have the port %s",
          address.getPort());
      seen.add(address);
    }
  }

  private static boolean overlap(InetSocketAddress one, InetSocketAddress other) {
    return one.getPort() == other.getPort()
        && (one.getAddress().isAnyLocalAddress()
            || other.getAddress().isAnyLocalAddress()
            || one.getAddress().equals(other.getAddress()));
  }

  private static InetSocketAddress address(HttpConnectorFactory connector) {
    return connector.getBindHost() == null
        ? new InetSocketAddress(connector.getPort())
        : new InetSocketAddress(connector.getBindHost(), connector.getPort());
  }

  /**
   * Tries whether all connectors can listen.
   *
   * @return a line for each port that is in use, as beside a node that runs
   * @throws IllegalArgumentException with a one-line message for the operator, if one cannot for
   *     another reason
   */
  public static List<String> inUse(ServerFactory serverFactory) {
    List<String> lines = new ArrayList<>();
    for (HttpConnectorFactory connector : connectors(serverFactory)) {
      InetSocketAddress address = address(connector);
      String where = address.getHostString() + ":" + address.getPort();
      try (ServerSocket socket = new ServerSocket()) {
        socket.setReuseAddress(true);
        socket.bind(address);
      } catch (IOException e) {
        if (!String.valueOf(e.getMessage()).contains("in use")) {
          throw new IllegalArgumentException(where + ": " + e.getMessage(), e);
        }
        lines.add(
            "server: " + where + " is in use; if not by this node itself, it would not start");
      }
    }
    return lines;
  }

  /** The connectors of both ports that speak HTTP, with or without TLS. */
  static List<HttpConnectorFactory> connectors(ServerFactory serverFactory) {
    return serverFactory instanceof DefaultServerFactory factory
        ? Stream.concat(
                factory.getApplicationConnectors().stream(), factory.getAdminConnectors().stream())
            .filter(HttpConnectorFactory.class::isInstance)
            .map(HttpConnectorFactory.class::cast)
            .toList()
        : List.of();
  }
}
