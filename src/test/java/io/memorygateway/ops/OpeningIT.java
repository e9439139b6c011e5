package io.memorygateway.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.dropwizard.lifecycle.Managed;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A node that starts refuses callers, who turn to another one, rather than let them hang. */
class OpeningIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @Test
  void noPortIsOpenBeforeEverythingHasStarted() throws Exception {
    int port = freePort();
    int adminPort = freePort();
    List<Boolean> open = new ArrayList<>();
    TestGateway gateway =
        new TestGateway(DATABASE, UPSTREAM)
            .with("GATEWAY_PORT", Integer.toString(port))
            .with("GATEWAY_ADMIN_PORT", Integer.toString(adminPort))
            .whileStarting(
                new Managed() {
                  @Override
                  public void start() throws IOException {
                    open.add(isOpen(port));
                    open.add(isOpen(adminPort));
                  }
                });
    gateway.start();
    try {
      assertThat(open).containsExactly(false, false);
      assertThat(gateway.get("/v1/models").statusCode()).isEqualTo(200);
    } finally {
      gateway.stop();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static boolean isOpen(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (ConnectException e) {
      return false;
    }
  }
}
