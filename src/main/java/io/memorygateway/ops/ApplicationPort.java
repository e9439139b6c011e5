package io.memorygateway.ops;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connectors that serve clients; closes them without losing a request. */
final class ApplicationPort {
  private static final Logger LOGGER = LoggerFactory.getLogger(ApplicationPort.class);
  private static final long DEREGISTER_TIMEOUT_MILLIS = 500;

  /** A connection that is new, or between two requests, may be about to send one. */
  private static final long IDLE_MILLIS = 300;

  private final List<ServerConnector> connectors;

  ApplicationPort(Server server) {
    connectors =
        Arrays.stream(server.getConnectors())
            .filter(connector -> "application".equals(connector.getName()))
            .filter(ServerConnector.class::isInstance)
            .map(ServerConnector.class::cast)
            .toList();
  }

  int connections() {
    return connectors.stream().mapToInt(c -> c.getConnectedEndPoints().size()).sum();
  }

  /**
   * Refuses new connections from now on, so that a load balancer turns to another node. Those that
   * the kernel has accepted already are served: closing the port over them would reset them.
   */
  void refuseConnections() {
    for (ServerConnector connector : connectors) {
      try {
        if (connector.getTransport() instanceof ServerSocketChannel channel
            && !channel.isBlocking()) {
          takeOver(connector, channel);
        }
      } catch (IOException e) {
        LOGGER.warn("A connection may have been lost while the port was closed", e);
      }
      connector.close();
    }
  }

  /**
   * Takes the port from its selector, so that closing it takes effect immediately: between the last
   * look for a connection and the end there are microseconds.
   */
  private static void takeOver(ServerConnector connector, ServerSocketChannel channel)
      throws IOException {
    connector.setAccepting(false);
    closePortOfItsOwn();
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DEREGISTER_TIMEOUT_MILLIS);
    while (channel.isRegistered() && System.nanoTime() < deadline) {
      accept(connector, channel);
      LockSupport.parkNanos(100_000);
    }
    try (channel) {
      accept(connector, channel);
    }
  }

  /**
   * Closes a port that nobody knows, so that the code for it is loaded: the first time takes ten
   * times as long, and a connection that comes meanwhile is reset.
   */
  private static void closePortOfItsOwn() throws IOException {
    try (ServerSocketChannel port = ServerSocketChannel.open()) {
      port.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      port.configureBlocking(false);
      port.accept();
    }
  }

  private static void accept(ServerConnector connector, ServerSocketChannel channel)
      throws IOException {
    SocketChannel client = channel.accept();
    while (client != null) {
      client.configureBlocking(false);
      client.socket().setTcpNoDelay(true);
      connector.getSelectorManager().accept(client);
      client = channel.accept();
    }
  }

  /**
   * Closes all connections: to the calls on them, their clients have left. Logs their state,
   * because they should have ended by themselves.
   */
  void closeConnections() {
    for (ServerConnector connector : connectors) {
      for (EndPoint endPoint : connector.getConnectedEndPoints()) {
        LOGGER.warn("Stopping: cut {}", endPoint);
        endPoint.close();
      }
    }
  }

  void closeIdleConnections() {
    for (ServerConnector connector : connectors) {
      for (EndPoint endPoint : connector.getConnectedEndPoints()) {
        if (isIdle(endPoint)) {
          endPoint.close();
        }
      }
    }
  }

  private static boolean isIdle(EndPoint endPoint) {
    Connection connection = endPoint.getConnection();
    if (connection instanceof SslConnection tls) {
      connection = tls.getSslEndPoint().getConnection();
    }
    return connection instanceof HttpConnection http
        && http.getHttpChannel().getRequest() == null
        && endPoint instanceof AbstractEndPoint timed
        && timed.getIdleFor() > IDLE_MILLIS;
  }
}
