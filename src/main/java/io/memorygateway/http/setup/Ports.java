package io.memorygateway.http.setup;

import io.dropwizard.core.server.DefaultServerFactory;
import io.dropwizard.core.server.ServerFactory;
import io.dropwizard.jetty.HttpConnectorFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The ports that the server's connectors listen on. */
public final class Ports {
  private Ports() {}

  /**
   * Checks that no two connectors have the same port at the same address.
   *
   * @throws IllegalArgumentException with a one-line message for the operator
   */
  public static void check(ServerFactory serverFactory) {
    List<HttpConnectorFactory> seen = new ArrayList<>();
    for (HttpConnectorFactory connector : connectors(serverFactory)) {
      for (HttpConnectorFactory other : seen) {
        if (connector.getPort() != 0
            && connector.getPort() == other.getPort()
            && (connector.getBindHost() == null
                || other.getBindHost() == null
                || Objects.equals(connector.getBindHost(), other.getBindHost()))) {
          throw new IllegalArgumentException(
              "server: two connectors have the port " + connector.getPort());
        }
      }
      seen.add(connector);
    }
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
      InetSocketAddress address =
          connector.getBindHost() == null
              ? new InetSocketAddress(connector.getPort())
              : new InetSocketAddress(connector.getBindHost(), connector.getPort());
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
