package io.memorygateway.proxy.upstream;

import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.io.ssl.SslHandshakeListener;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * A limit on the time in which TLS is set up on a connection. Jetty counts the handshake as a part
 * of the first request, so that a server whose connections stand and are never served would hold a
 * call for as long as an answer may take.
 */
record HandshakeLimit(Scheduler scheduler, long millis) implements Connection.Listener {
  @Override
  public void onOpened(Connection connection) {
    if (connection instanceof SslConnection tls) {
      Scheduler.Task limit =
          scheduler.schedule(
              () -> tls.getEndPoint().close(new SocketTimeoutException("no TLS in time")),
              millis,
              TimeUnit.MILLISECONDS);
      tls.addHandshakeListener(
          new SslHandshakeListener() {
            @Override
            public void handshakeSucceeded(Event event) {
              limit.cancel();
            }

            @Override
            public void handshakeFailed(Event event, Throwable failure) {
              limit.cancel();
            }
          });
    }
  }
}
