package io.memorygateway.http.arrival;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BrokenConnectionHandlerTest {
  private static final int PIPELINED = 50;

  private final AtomicInteger served = new AtomicInteger();
  private final CountDownLatch closed = new CountDownLatch(1);

  /** What was pipelined by a client that left, or that reads no answer, is served to nobody. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatComesBehindAnAnswerThatCannotBeWrittenIsNotServed(boolean leaves) throws Exception {
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server, 1, 1);
    connector.setIdleTimeout(leaves ? 30_000 : 100);
    connector.addBean(
        new Connection.Listener() {
          @Override
          public void onClosed(Connection connection) {
            closed.countDown();
          }
        });
    server.addConnector(connector);
    BrokenConnectionHandler handler = new BrokenConnectionHandler();
    handler.setHandler(new Careless());
    server.setHandler(handler);
    server.start();
    Socket client = new Socket(InetAddress.getLoopbackAddress(), connector.getLocalPort());
    try {
      String request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
      client.getOutputStream().write(request.repeat(PIPELINED).getBytes(StandardCharsets.US_ASCII));
      client.getInputStream().read();
      if (leaves) {
        client.close();
      }
      closed.await();
      assertThat(served).hasValue(1);
    } finally {
      client.close();
      server.stop();
    }
  }

  /** Answers with more than a connection buffers, and ignores whether the write fails. */
  private final class Careless extends Handler.Abstract {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      served.incrementAndGet();
      response.write(
          true,
          ByteBuffer.allocate(64 << 20),
          Callback.from(callback::succeeded, failure -> callback.succeeded()));
      return true;
    }
  }
}
