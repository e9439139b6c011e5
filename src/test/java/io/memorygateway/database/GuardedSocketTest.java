package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.testing.TestTimeout;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that accepts, and then stands still. */
@Timeout(
    value = TestTimeout.SECONDS,
    unit = TimeUnit.SECONDS,
    threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GuardedSocketTest {
  @AutoClose private ServerSocket server;
  @AutoClose private Socket socket;

  @BeforeEach
  void connect() throws IOException {
    server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    socket = new GuardedSocket();
    socket.connect(server.getLocalSocketAddress());
    socket.setSoTimeout(200);
  }

  @Test
  void aReadThatTimesOutClosesIt() throws IOException {
    assertThatThrownBy(() -> socket.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class);
    assertThat(socket.isClosed()).isTrue();
  }

  @Test
  void aWriteThatIsNotTakenEnds() throws IOException {
    byte[] much = new byte[64 << 20];
    assertThatThrownBy(() -> socket.getOutputStream().write(much)).isInstanceOf(IOException.class);
    assertThat(socket.isClosed()).isTrue();
  }

  @Test
  void manySmallWritesThatAreNotTakenEnd() throws IOException {
    byte[] some = new byte[16 << 10];
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 4096; i++) {
                socket.getOutputStream().write(some);
              }
            })
        .isInstanceOf(IOException.class);
  }

  @Test
  void whatIsTakenIsWritten() throws Exception {
    socket.setSoTimeout((int) TestTimeout.DEFAULT.toMillis()); // of a reader that stands still
    byte[] much = new byte[8 << 20];
    try (Socket other = server.accept()) {
      Thread writer =
          new Thread(
              () -> {
                try {
                  socket.getOutputStream().write(much);
                  socket.shutdownOutput();
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      writer.start();
      assertThat(other.getInputStream().readAllBytes()).hasSameSizeAs(much);
      writer.join();
    }
    assertThat(socket.isClosed()).isFalse();
  }
}
