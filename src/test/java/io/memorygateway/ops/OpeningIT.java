package io.memorygateway.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.dropwizard.lifecycle.Managed;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.ReservedPort;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
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
    List<Boolean> open = new ArrayList<>();
    try (ReservedPort port = new ReservedPort();
        ReservedPort adminPort = new ReservedPort()) {
      TestGateway gateway = gateway(port.number(), adminPort.number(), open);
      gateway.start();
      try {
        assertThat(open).containsExactly(false, false);
        assertThat(gateway.port()).isEqualTo(port.number());
        assertThat(gateway.get("/v1/models").statusCode()).isEqualTo(200);
      } finally {
        gateway.stop();
      }
    }
  }

  /** Looks, while it starts, whether its ports are open. */
  private static TestGateway gateway(int port, int adminPort, List<Boolean> open) {
    return new TestGateway(DATABASE, UPSTREAM)
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
  }

  private static boolean isOpen(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (ConnectException e) {
      return false;
    }
  }
}
