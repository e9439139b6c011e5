package io.memorygateway.http.arrival;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes connections on which the head of a request takes too long: they hold no thread, but a file
 * descriptor each. They get no response.
 */
final class SlowHeaders implements Runnable {
  private static final Logger LOGGER = LoggerFactory.getLogger(SlowHeaders.class);

  private final Server server;
  private final long timeoutNanos;
  private final CounterDataPoint givenUp;

  SlowHeaders(Server server, SlowRequests configuration, CounterDataPoint givenUp) {
    this.server = server;
    timeoutNanos = TimeUnit.MILLISECONDS.toNanos(configuration.headTimeout().toMilliseconds());
    this.givenUp = givenUp;
  }

  /** Checks every connection once. */
  @Override
  public void run() {
    try {
      closeLate();
    } catch (RuntimeException e) {
      // The executor would not run this again after an exception.
      LOGGER.warn("Connections could not be looked at", e);
    }
  }

  private void closeLate() {
    for (Connector connector : server.getConnectors()) {
      for (EndPoint endPoint : connector.getConnectedEndPoints()) {
        if (isHeaderOverdue(endPoint.getConnection())) {
          givenUp.inc();
          endPoint.close();
        }
      }
    }
  }

  private boolean isHeaderOverdue(Connection connection) {
    Connection inner =
        connection instanceof SslConnection tls ? tls.getSslEndPoint().getConnection() : connection;
    if (!(inner instanceof HttpConnection http)) {
      return false;
    }
    // Another thread may be using it; what is seen here is at worst a little old.
    HttpParser parser = http.getParser();
    return parser.inHeaderState()
        && !parser.isStart()
        && System.nanoTime() - parser.getBeginNanoTime() > timeoutNanos;
  }
}
