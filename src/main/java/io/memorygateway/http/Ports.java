package io.memorygateway.http;

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
   * @throws IllegalArgumentException with a one-line message for the operator
   */
  public static void tryAll(ServerFactory serverFactory) {
    List<ServerSocket> open = new ArrayList<>();
    try {
      for (HttpConnectorFactory connector : connectors(serverFactory)) {
        open.add(listening(connector));
      }
    } finally {
      for (ServerSocket socket : open) {
        try {
          socket.close();
        } catch (IOException ignored) {
          // It is of no further use.
        }
      }
    }
  }

  private static ServerSocket listening(HttpConnectorFactory connector) {
    InetSocketAddress address =
        connector.getBindHost() == null
            ? new InetSocketAddress(connector.getPort())
            : new InetSocketAddress(connector.getBindHost(), connector.getPort());
    try {
      ServerSocket socket = new ServerSocket();
      try {
        socket.setReuseAddress(true);
        socket.bind(address);
        return socket;
      } catch (IOException e) {
        socket.close();
        throw e;
      }
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "server: "
              + address.getHostString()
              + ":"
              + address.getPort()
              + ": "
              + e.getMessage()
              + "; beside a node that runs, check with '--ports no'",
          e);
    }
  }

  private static List<HttpConnectorFactory> connectors(ServerFactory serverFactory) {
    return serverFactory instanceof DefaultServerFactory factory
        ? Stream.concat(
                factory.getApplicationConnectors().stream(), factory.getAdminConnectors().stream())
            .filter(HttpConnectorFactory.class::isInstance)
            .map(HttpConnectorFactory.class::cast)
            .toList()
        : List.of();
  }
}
